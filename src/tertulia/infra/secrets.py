"""Small secrets at rest: sealed with a key that is kept outside the database.

The key is `TERTULIA_SECRET_KEY`, else the file `secret.key` in the data
directory, made on first use. A sealed text is bound to a context, such as the
id of the row it belongs to: copied to another row it does not open.
"""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tertulia.core.errors import Unavailable
from tertulia.settings import KEY_VARIABLE, Settings

if TYPE_CHECKING:
    from tertulia.infra.cipher import Cipher

#: Shorter texts are too likely to appear by chance.
REDACTION_MIN_CHARS = 4
REDACTION_MASK = "••••"


class SecretUnreadable(Unavailable):
    """A stored secret does not open with this server's key."""

    code = "secret_unreadable"

    def __init__(self) -> None:
        super().__init__(
            "A stored key does not open with this server's secret key. Bring back the old "
            f"{KEY_VARIABLE} (or secret.key in the data directory), or enter the stored key again."
        )


class SecretVault:
    """Seals and opens small secrets."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cipher: Cipher | None = None

    def seal(self, secret: str, *, context: str) -> str:
        """Return `secret` in a form that only this server's key opens, and only for `context`."""
        return self._get_cipher().encrypt(secret, context=context)

    def open(self, sealed: str, *, context: str) -> str:
        """Return the secret that was sealed for `context`, or raise `SecretUnreadable`."""
        secret = self._get_cipher().decrypt(sealed, context=context)
        if secret is None:
            raise SecretUnreadable
        return secret

    def _get_cipher(self) -> "Cipher":
        if self._cipher is None:
            from tertulia.infra.cipher import Cipher

            self._cipher = Cipher(
                key_from_environment(self._settings) or key_from_file(self._settings.data_dir / "secret.key")
            )
        return self._cipher


def key_from_environment(settings: Settings) -> str:
    """Return the key the operator gave in the environment; empty when there is none."""
    return settings.provider_env.get(KEY_VARIABLE, "").strip()


def key_from_file(path: Path) -> str:
    """Return the key kept in a file, made first if it is not there; processes that race agree on one."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        try:
            write_private_file(draft, secrets.token_urlsafe(32))
            # A link appears whole or not at all, and never over a key that is already there.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text("utf-8").strip()


def write_private_file(path: Path, text: str) -> None:
    """Write a new file that only its owner may read, and see it safe on disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def redact(text: str, hidden_secrets: Iterable[str]) -> str:
    """Return `text` with every one of the `hidden_secrets` painted over."""
    for secret in sorted(set(hidden_secrets), key=len, reverse=True):
        if len(secret) >= REDACTION_MIN_CHARS:
            text = text.replace(secret, REDACTION_MASK)
    return text
