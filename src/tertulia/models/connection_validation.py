"""What people may write into a connection. What is refused is never quoted: it may be a key."""

import re

from tertulia.models.builtin.child import BUILTIN_SLUG as BUILTIN
from tertulia.models.errors import ConnectionInvalid

CONNECTION_SLUG_PATTERN = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
API_KEY_MAX_CHARS = 1000
API_KEY_PATTERN = re.compile(r"[\x21-\x7e]*")
KEY_TAIL_CHARS = 4
#: Of a shorter key the tail would give away too much.
KEY_TAIL_MIN_KEY_CHARS = 12


def check_slug(slug: str) -> str:
    """Return a connection's short name, as it stands before the models' names."""
    if not CONNECTION_SLUG_PATTERN.fullmatch(slug) or slug == BUILTIN:
        raise ConnectionInvalid(
            "The short name takes up to 40 small letters, digits, dots, dashes and underscores, "
            f"begins with a letter or digit, and is not {BUILTIN!r}.",
            field="slug",
        )
    return slug


def check_key(key: str) -> str:
    """Return a key that a request can carry; empty for a server that wants none."""
    key = key.strip()
    if len(key) > API_KEY_MAX_CHARS or not API_KEY_PATTERN.fullmatch(key):
        raise ConnectionInvalid("That does not look like a key: paste it again, without spaces.", field="key")
    return key


def key_tail_of(key: str) -> str:
    """Return the last characters of a key, by which its owner knows it again."""
    return key[-KEY_TAIL_CHARS:] if len(key) >= KEY_TAIL_MIN_KEY_CHARS else ""
