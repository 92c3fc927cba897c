"""Authenticated encryption with one key. Imported on first use: the library behind it is heavy."""

import base64
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CIPHER_NONCE_BYTES = 12


class Cipher:
    """Encrypts with AES-256-GCM under a key derived from a text of any length."""

    def __init__(self, text: str) -> None:
        derived = HKDF(SHA256(), length=36, salt=None, info=b"tertulia secrets v1").derive(text.encode())
        self._aes = AESGCM(derived[:32])
        # The mark tells this key from others without giving it away.
        self._prefix = f"v1.{derived[32:].hex()}."

    def encrypt(self, secret: str, *, context: str) -> str:
        """Return `secret` encrypted and bound to `context`."""
        nonce = secrets.token_bytes(CIPHER_NONCE_BYTES)
        sealed = nonce + self._aes.encrypt(nonce, secret.encode(), context.encode())
        return self._prefix + base64.urlsafe_b64encode(sealed).decode()

    def decrypt(self, sealed: str, *, context: str) -> str | None:
        """Return the secret, or None when the key or the context is another, or a byte was changed."""
        if not sealed.startswith(self._prefix):
            return None
        try:
            raw = base64.urlsafe_b64decode(sealed.removeprefix(self._prefix))
            return self._aes.decrypt(
                raw[:CIPHER_NONCE_BYTES], raw[CIPHER_NONCE_BYTES:], context.encode()
            ).decode()
        except (ValueError, InvalidTag):
            return None
