"""Identifiers: ULIDs with a short prefix that says what they name."""

import re

import uuid_utils

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PATTERN = re.compile(r"[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new_id(prefix: str) -> str:
    """Return a new id such as `msg_01HQ…`; ids made later sort after ids made earlier."""
    # A version 7 UUID is a 48-bit time and randomness, as a ULID is, and is monotonic across threads.
    return f"{prefix}_{crockford(uuid_utils.uuid7().int)}"


def crockford(number: int) -> str:
    """Write a 128-bit number as the 26 characters of a ULID."""
    return "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def canonical(text: str) -> str:
    """Return an id as it is stored, with its ULID in capitals; text that is no id stays as it is."""
    prefix, _, ulid = text.partition("_")
    stored = f"{prefix.lower()}_{ulid.upper()}"
    return stored if PATTERN.fullmatch(stored) else text


def is_id(text: str, prefix: str) -> bool:
    """Tell whether `text` has the form of an id with this prefix."""
    return text.startswith(f"{prefix}_") and PATTERN.fullmatch(text) is not None
