"""What an outside id (qid, docno) may be: anything that a qrels line can carry unharmed."""

LONGEST_ID = 1000
BLANKS = frozenset(" \t\n\r\x0b\x0c")


def fault_of_id(word: str) -> str | None:
    """Why this can't be the id of a query or document, as the end of a sentence; None where it can."""
    if not word:
        return "is empty"
    if not BLANKS.isdisjoint(word):
        return "holds a blank, which splits it in two in every TREC file"
    if "\0" in word:
        return "holds a NUL character"
    if word[0] == "\ufeff":
        return "begins with a byte order mark"
    if not is_writable(word):
        return "holds half a surrogate pair, which no UTF-8 file can carry"
    return f"is longer than {LONGEST_ID:,} bytes" if len(word.encode()) > LONGEST_ID else None


def fault_of_qid(qid: str) -> str | None:
    """As `fault_of_id`; a qid stands at the start of a line, where `#` makes a comment of it."""
    if qid.startswith("#"):
        return "begins with #, so that TREC tools take its lines for comments"
    return fault_of_id(qid)


def is_writable(text: str) -> bool:
    """Whether UTF-8 can hold the text; JSON escapes can make half surrogate pairs, which it can't."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
