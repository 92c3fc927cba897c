"""What signs in at the server of a calendar; never shown, and painted over wherever it might be."""

from base64 import b64encode
from dataclasses import dataclass, field
from enum import StrEnum

from tertulia.core.errors import Invalid
from tertulia.infra.secrets import redact

SECRET_MAX_CHARS = 4_000
USERNAME_MAX_CHARS = 300


class CalDavAuth(StrEnum):
    """How an account signs in."""

    BASIC = "basic"
    BEARER = "bearer"


class CalDavSecretInvalid(Invalid):
    """A user name, password or token that cannot be sent; what was entered is never quoted."""

    code = "caldav_secret_invalid"


@dataclass(frozen=True, slots=True)
class DavCredentials:
    """Who we are at a server."""

    auth: CalDavAuth
    username: str
    secret: str = field(repr=False)

    @property
    def header(self) -> str:
        """Return what each request carries."""
        if self.auth is CalDavAuth.BEARER:
            return f"Bearer {self.secret}"
        return f"Basic {b64encode(f'{self.username}:{self.secret}'.encode()).decode()}"

    def redact(self, text: str) -> str:
        """Return a text of the server without our secret in it."""
        return redact(text, [self.secret, self.header.partition(" ")[2]])


def check_credentials(*, username: str, password: str, token: str) -> DavCredentials:
    """Return what an account signs in with, or raise: a user name and password, or a token."""
    if bool(password) == bool(token):
        raise CalDavSecretInvalid("Enter a user name and a password, or a token in their place.")
    if password and not username:
        raise CalDavSecretInvalid("Enter the user name that belongs to the password.")
    secret = password or token.strip()
    is_sendable = all(ord(letter) >= 32 and ord(letter) != 127 for letter in username + secret)
    if not is_sendable or len(secret) > SECRET_MAX_CHARS or len(username) > USERNAME_MAX_CHARS:
        raise CalDavSecretInvalid("The user name, password or token cannot be sent: enter it again.")
    if ":" in username and password:
        raise CalDavSecretInvalid("A user name with a colon cannot be sent: enter it again.")
    if token and not secret.isascii():
        raise CalDavSecretInvalid("A token has plain letters, digits and signs only: enter it again.")
    return DavCredentials(CalDavAuth.BEARER if token else CalDavAuth.BASIC, username, secret)
