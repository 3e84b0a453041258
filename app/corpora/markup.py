"""HTML of documents: made harmless before it is kept, and read as plain text.

What is kept has no script, style, form, address or name in it, but for the addresses of pictures, which the desk lets
through or not. It is shown in a frame without scripts all the same.
"""

import re
from html import unescape

import nh3

LONGEST = 2_000_000
"""Characters. A browser lays a frame out whole, in sight or not."""
DEEPEST = 500
"""Elements within one another. Browsers go no deeper; and cleaning takes four times as long for twice the depth."""
MOST = 50_000
"""Elements. Laying out a few times as many takes a browser so long that nobody can grade."""
MOST_AMPERSANDS = 100_000
"""Cleaning takes four times as long for twice as many."""
WIDEST = 20
"""Rows and columns that a cell may span: a browser keeps a place for each of them, in each row."""
UNNESTED = (
    "p li td th tr dt dd option thead tbody tfoot colgroup html head body "  # Their ends may be left out.
    "area base br col embed hr img input link meta source track wbr "
    "a b big code em font i nobr s small span strike strong tt u"  # Cleaned in no more time when they are many.
)
SHOWN = nh3.ALLOWED_TAGS - {"area", "map", "details", "summary"}
"""What unfolds would hide its words from a search."""
ATTRIBUTES = {
    "*": {"lang", "dir"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
GONE_WITH_CONTENT = {"script", "style", "title", "template", "textarea", "select", "object", "iframe", "svg", "math"}


def kept(_tag: str, name: str, value: str) -> str | None:
    """What becomes of an attribute that may stay."""
    if name in {"colspan", "rowspan"}:
        return value if value.isdecimal() and int(value[:9]) <= WIDEST else None
    return value


CLEANER = nh3.Cleaner(
    tags=set(SHOWN),
    clean_content_tags=GONE_WITH_CONTENT,
    attributes=ATTRIBUTES,
    attribute_filter=kept,
    url_schemes={"https"},
    link_rel=None,
    # What is out of sight must not hold up what is in it.
    set_tag_attribute_values={"img": {"loading": "lazy"}},
)
INLINE = (
    "a|abbr|acronym|b|bdi|bdo|cite|code|data|del|dfn|em|i|img|ins|kbd|mark|q|rp|rt|rtc|ruby|s|samp|small|span|strike|"
    "strong|sub|sup|time|tt|u|var|wbr"
)
A_TAG = r"""(?:"[^"]*"|[^">])*>"""
AN_INLINE_TAG = re.compile(rf"</?(?:{INLINE})\b{A_TAG}")
ANY_TAG = re.compile(rf"</?[a-z]{A_TAG}")
AN_END = re.compile(r"</(p|div|span|li|td|a|b|strong|em|h[1-6]|body)>", re.IGNORECASE)
A_START_OR_END = re.compile(r"<(/?)([a-z][a-z0-9-]*)", re.IGNORECASE)


def cleaned(html: str) -> str:
    """ValueError, with the end of a sentence that begins with it, where it can't be taken."""
    if len(html) <= LONGEST:
        refuse_what_chokes(html)
        html = CLEANER.clean(html).strip()
    if len(html) > LONGEST:
        raise ValueError(f"is longer than {LONGEST:,} characters")
    return html


def refuse_what_chokes(html: str) -> None:
    elements, depth = sizes(html)
    if depth > DEEPEST:
        raise ValueError(f"nests its elements deeper than {DEEPEST}")
    if elements > MOST:
        raise ValueError(f"has more than {MOST:,} elements")
    if html.count("&") > MOST_AMPERSANDS:
        raise ValueError(f"has more than {MOST_AMPERSANDS:,} ampersands")


def text_of(html: str) -> str:
    """What cleaned HTML says, a line for each block."""
    parted = ANY_TAG.sub("\n", AN_INLINE_TAG.sub("", re.sub(r"\s+", " ", html)))
    lines = (line.strip() for line in unescape(parted).split("\n"))
    return "\n\n".join(filter(None, lines))


def looks_like_html(text: str) -> bool:
    return "</" in text and AN_END.search(text) is not None


def sizes(html: str) -> tuple[int, int]:
    """How many elements there are, and how many stand within one another at the most, by their tags: those that need no
    end are not counted in depth.
    """
    unnested = set(UNNESTED.split())
    elements = depth = most = 0
    for end, name in A_START_OR_END.findall(html):
        elements += not end
        if name.lower() not in unnested:
            depth = max(0, depth - 1) if end else depth + 1
            most = max(most, depth)
    return elements, most
