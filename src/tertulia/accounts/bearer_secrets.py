"""Secrets that programs carry: 256 random bits, of which we keep only a digest."""

import hashlib
import re
import secrets

TOKEN_PREFIX = "ttl_"  # noqa: S105 - what every token begins with, no secret itself
SECRET_PATTERN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_secret(prefix: str = "") -> str:
    """Return a secret nobody can guess: 43 URL-safe characters after the prefix."""
    return prefix + secrets.token_urlsafe(32)


def is_secret(text: str, prefix: str = "") -> bool:
    """Tell whether `text` has the form of a secret, so that anything else need not be looked up."""
    return text.startswith(prefix) and SECRET_PATTERN.fullmatch(text, len(prefix)) is not None


def secret_digest(secret: str) -> str:
    """Return what is stored; a fast hash is enough where the secret is not a person's choice."""
    return hashlib.sha256(secret.encode()).hexdigest()
