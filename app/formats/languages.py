"""Which words name a language."""

import re

LANG_KEYS = ("lang", "language")
LONGEST_TAG = 35
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def language(word: str) -> str:
    """The word where it has the shape of a language tag (BCP 47), such as de, pt-BR or zh-Hant, else "": `English` says
    nothing to a browser.
    """
    tag = word.strip()
    return tag if len(tag) <= LONGEST_TAG and _TAG.fullmatch(tag) else ""
