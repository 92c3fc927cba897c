"""Identifiers: ULIDs with a short prefix that says what they name.

An id made later sorts after all that were made before it, in this process and in those before it
that used the same database, whatever the clock does: where order carries meaning, ids are the order.
"""

import re
import secrets
import threading
from datetime import datetime

from tertulia.core import clock

ULID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ULID_PATTERN = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
ID_PATTERN = re.compile(rf"[a-z]{{3}}_{ULID_PATTERN.pattern}")
ULID_RANDOM_BITS = 80
#: Ids of one millisecond follow each other by so much at most, so that they cannot be guessed.
ULID_STEP_BITS = 40
#: No clock that is anywhere near right makes such ids: one that was forged must not use all ids up.
ULID_NUMBER_LIMIT = 1 << 127


class IdSequence:
    """The last id that was made, and the next ones."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        """Return a number that is larger than all before."""
        fresh = clock.steady.now_ms() << ULID_RANDOM_BITS | secrets.randbits(ULID_RANDOM_BITS)
        with self._lock:
            self._last = fresh if fresh > self._last else self._last + 1 + secrets.randbits(ULID_STEP_BITS)
            return self._last

    def resume_after(self, number: int) -> None:
        """Count a number as made."""
        if number < ULID_NUMBER_LIMIT:
            with self._lock:
                self._last = max(self._last, number)


sequence = IdSequence()


def new_id(prefix: str) -> str:
    """Return a new id such as `msg_01HQ…`; ids made later sort after ids made earlier."""
    return f"{prefix}_{new_ulid()}"


def new_ulid() -> str:
    """Return a ULID that sorts after those of all ids made earlier."""
    return encode_crockford(sequence.next())


def ulid_of(id_: str) -> str:
    """Return the ULID of an id: those of all kinds of ids have one order."""
    return id_.rpartition("_")[2]


def ulid_at(moment: datetime) -> str:
    """Return a ULID that sorts among those made at a moment of the past; no moment is later than now."""
    at_moment = max(0, clock.to_ms(moment)) << ULID_RANDOM_BITS | secrets.randbits(ULID_RANDOM_BITS)
    return encode_crockford(min(at_moment, sequence.next()))


def resume_after(ulid: str) -> None:
    """Make only ids, and give only moments, that come after those of a ULID an earlier process made."""
    if ULID_PATTERN.fullmatch(ulid):
        number = decode_crockford(ulid)
        sequence.resume_after(number)
        if number < ULID_NUMBER_LIMIT:
            clock.steady.resume_after(number >> ULID_RANDOM_BITS)


def encode_crockford(number: int) -> str:
    """Write a 128-bit number as the 26 characters of a ULID."""
    return "".join(ULID_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def decode_crockford(ulid: str) -> int:
    """Return the 128-bit number that a ULID stands for."""
    number = 0
    for character in ulid:
        number = number << 5 | ULID_ALPHABET.index(character)
    return number


def canonical_id(text: str) -> str:
    """Return an id as it is stored, with its ULID in capitals; text that is no id stays as it is."""
    prefix, _, ulid = text.partition("_")
    stored = f"{prefix.lower()}_{ulid.upper()}"
    return stored if ID_PATTERN.fullmatch(stored) else text


def is_id(text: str, prefix: str) -> bool:
    """Tell whether `text` has the form of an id with this prefix."""
    return text.startswith(f"{prefix}_") and ID_PATTERN.fullmatch(text) is not None
