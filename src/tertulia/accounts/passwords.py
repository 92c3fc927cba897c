"""Passwords: argon2id with its library's own parameters, two at a time, off the event loop."""

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from tertulia.accounts.errors import PasswordUnfit

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")
PASSWORD_MIN_CHARS = 10
PASSWORD_MAX_CHARS = 1024
#: Each hash takes 64 MB and a core for a while: more at once would starve everybody else.
PASSWORD_HASH_THREADS = 2


@cache
def hasher() -> "PasswordHasher":
    """Return the hasher, whose parameters are the library's."""
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def hash_threads() -> ThreadPoolExecutor:
    """Return the threads that hash."""
    return ThreadPoolExecutor(PASSWORD_HASH_THREADS, thread_name_prefix="argon2")


@cache
def dummy_hash() -> str:
    """Return a hash that no password is checked against in earnest."""
    return hasher().hash("the password of nobody")


def check_strength(password: str, *, email: str) -> None:
    """Raise unless a new password is one we accept for this account."""
    if not PASSWORD_MIN_CHARS <= len(password) <= PASSWORD_MAX_CHARS:
        message = f"Choose a password of {PASSWORD_MIN_CHARS} to {PASSWORD_MAX_CHARS} characters."
        raise PasswordUnfit(message)
    if password.strip().lower() == email:
        message = "Choose a password that is not your email address."
        raise PasswordUnfit(message)
    if any("\ud800" <= character <= "\udfff" for character in password):
        message = "Choose a password of valid Unicode characters."
        raise PasswordUnfit(message)


async def hash_password(password: str) -> str:
    """Return the hash to store for a password."""
    return await run_in_hash_thread(lambda: hasher().hash(normalise_password(password)))


async def matches_password(stored: str | None, password: str) -> bool:
    """Tell whether a password is the stored one; with nothing stored it takes as long to say no."""
    return await run_in_hash_thread(lambda: verify_hash(stored, password))


async def rehash_if_outdated(stored: str, password: str) -> str | None:
    """Return a new hash when the stored one was made with other parameters than today's."""
    return await hash_password(password) if hasher().check_needs_rehash(stored) else None


def verify_hash(stored: str | None, password: str) -> bool:
    """Check a password against its hash, or against nobody's."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        hasher().verify(stored or dummy_hash(), normalise_password(password))
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def normalise_password(password: str) -> bytes:
    """Return a password as bytes, the same whichever way a keyboard composes its accents."""
    return unicodedata.normalize("NFC", password).encode(errors="surrogatepass")


async def run_in_hash_thread(call: Callable[[], T]) -> T:
    """Run `call` on one of the threads that hash."""
    return await asyncio.get_running_loop().run_in_executor(hash_threads(), call)
