"""Keys of the desk: each is new with every rendering of a pair, and holds the hash of the text that it came with.

So a browser that was cut off keeps a key and a grade, and no word of a document, and the grade still belongs to the
text that was read.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from app.db import new_id
from app.people.models import HASH_LENGTH


def new_key(text_hash: str) -> str:
    """60 characters: what is sent under it twice is one grade."""
    return f"{new_id()}.{urlsafe_b64encode(bytes.fromhex(text_hash)).decode().rstrip('=')}"


def shown_with(key: str) -> str:
    """The hash of the text that the key came with; empty, which is no text's hash, where it is no key of the desk."""
    try:
        text_hash = urlsafe_b64decode(key.partition(".")[2] + "=").hex()
    except ValueError:
        return ""
    return text_hash if len(text_hash) == HASH_LENGTH else ""
