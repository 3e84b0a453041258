"""Names and short texts that people give: what can be seen of them is all there is."""

from app.errors import FieldError

UNSEEN = "This holds a character that can't be seen, or one that turns the direction of writing."


def checked_name(name: str, field: str, *, longest: int, way_out: str) -> str:
    """The name in one line; `way_out` says what to write where it is empty."""
    return checked_text(" ".join(name.split()), field, longest=longest, way_out=way_out)


def checked_text(text: str, field: str, *, longest: int, way_out: str) -> str:
    """The text without blanks around, which may have several lines."""
    text = text.strip()
    if not text:
        raise FieldError(field, "This can't stay empty.", way_out)
    if len(text) > longest:
        raise FieldError(field, f"This is longer than {longest:,} characters.", "Shorten it.")
    if not is_seen(" ".join(text.split())):
        raise FieldError(field, UNSEEN, "Take it out, or type it anew.")
    return text


def is_name(name: str, *, longest: int) -> bool:
    """Whether a file's name for something can be taken as it is."""
    return 0 < len(name) <= longest and is_seen(name)


def is_seen(text: str) -> bool:
    """Whether one line holds no control, no direction mark and nothing else that is invisible."""
    return text.isprintable()
