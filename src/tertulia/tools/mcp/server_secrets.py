"""The environment variables and headers that servers are given: sealed as one, named one by one."""

import asyncio
import re
from collections.abc import Mapping

import msgspec

from tertulia.core.errors import Invalid
from tertulia.infra.secrets import SecretVault

SERVER_SECRETS_MAX = 30
SERVER_SECRET_MAX_CHARS = 4_000
#: Shorter values are settings such as `info` or `3000`, and words that anybody uses.
REDACTED_SECRET_MIN_CHARS = 8
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
#: Headers that decide how a message is read, and are ours.
MCP_RESERVED_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "content-type", "accept"}
)
#: Variables that would let a program in beside the one that is named.
LOADER_VARIABLE_PREFIXES = ("LD_", "DYLD_")


class ServerSecretInvalid(Invalid):
    """A variable or header that cannot be; what was entered is never quoted."""

    code = "tool_secret_invalid"


class SecretSealer:
    """Seals and opens what one server is given."""

    def __init__(self, vault: SecretVault) -> None:
        self._vault = vault

    async def seal(self, secrets: Mapping[str, str], context: str) -> str | None:
        """Return secrets as they are stored; None where there are none."""
        if not secrets:
            return None
        text = msgspec.json.encode(secrets).decode()
        # Away from the event loop: the first use loads a large library.
        return await asyncio.to_thread(self._vault.seal, text, context=context)

    async def open(self, sealed: str | None, context: str) -> dict[str, str]:
        """Return the secrets that were stored."""
        if sealed is None:
            return {}
        text = await asyncio.to_thread(self._vault.open, sealed, context=context)
        return msgspec.json.decode(text, type=dict[str, str])


def values_to_redact(secrets: Mapping[str, str]) -> list[str]:
    """Return what no answer may repeat: every value, and of `Bearer …` what stands behind the scheme."""
    parts = [part for value in secrets.values() for part in (value, value.partition(" ")[2].strip())]
    return [part for part in parts if len(part) >= REDACTED_SECRET_MIN_CHARS]


def check_secrets(secrets: Mapping[str, str], *, headers: bool) -> list[str]:
    """Return the names of variables or headers that a server can be given, or raise."""
    pattern = HEADER_NAME if headers else VARIABLE_NAME
    for name, value in secrets.items():
        foreign = (
            name.lower() in MCP_RESERVED_HEADERS
            if headers
            else name.upper().startswith(LOADER_VARIABLE_PREFIXES)
        )
        broken = any(ord(letter) < 32 or ord(letter) == 127 for letter in value)
        if foreign or broken or not pattern.fullmatch(name) or len(value) > SERVER_SECRET_MAX_CHARS:
            kind = "header" if headers else "variable"
            raise ServerSecretInvalid(f"One {kind} has a name or value that cannot be sent: enter it again.")
        if headers and not value.isascii():
            raise ServerSecretInvalid("Headers take plain letters, digits and signs only.")
    if len(secrets) > SERVER_SECRETS_MAX:
        raise ServerSecretInvalid(f"A server is given at most {SERVER_SECRETS_MAX} secrets.")
    return sorted(secrets)
