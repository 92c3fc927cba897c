"""What people may write into a connection. What is refused is never quoted: it may be a key."""

import re

from tertulia.models.builtin.runner import SLUG as BUILTIN
from tertulia.models.errors import ConnectionInvalid

SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
LONGEST_KEY = 1000
KEY = re.compile(r"[\x21-\x7e]*")
TAIL = 4
#: Of a shorter key the tail would give away too much.
SHORTEST_WITH_TAIL = 12


def check_slug(slug: str) -> str:
    """Return a connection's short name, as it stands before the models' names."""
    if not SLUG.fullmatch(slug) or slug == BUILTIN:
        raise ConnectionInvalid(
            "The short name takes up to 40 small letters, digits, dots, dashes and underscores, "
            f"begins with a letter or digit, and is not {BUILTIN!r}.",
            field="slug",
        )
    return slug


def check_key(key: str) -> str:
    """Return a key that a request can carry; empty for a server that wants none."""
    key = key.strip()
    if len(key) > LONGEST_KEY or not KEY.fullmatch(key):
        raise ConnectionInvalid("That does not look like a key: paste it again, without spaces.", field="key")
    return key


def tail_of(key: str) -> str:
    """Return the last characters of a key, by which its owner knows it again."""
    return key[-TAIL:] if len(key) >= SHORTEST_WITH_TAIL else ""
