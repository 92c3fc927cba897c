"""The environment, read once."""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tertulia.core.errors import Invalid

HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*")
LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


class SettingInvalid(Invalid):
    """An environment variable holds something we cannot use."""

    code = "setting_invalid"


def default_data_dir(env: Mapping[str, str]) -> Path:
    """Return where data lives when nobody says: the place the platform keeps for it."""
    base = env.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "tertulia"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the environment decides. `docs/guide/settings.md` explains each."""

    data_dir: Path
    #: The environment itself, for the provider keys that people already have there.
    provider_env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    public_url: str = ""
    log_level: str = "info"
    busy_seconds: float = 15
    #: A provider that says nothing for so long is given up.
    silence_seconds: float = 120
    #: How often a failing provider is asked again before its first word.
    provider_retries: int = 3
    lease_seconds: float = 15
    drain_seconds: float = 10
    session_days: int = 30
    lanes_per_person: int = 500
    lanes_per_workspace: int = 2000
    #: How many models one round may ask.
    models_per_round: int = 64
    builtin_model: bool = True
    discover_local: bool = True
    utility_model: str = ""
    #: Who makes vectors of texts: ours, nobody, or a connection's model.
    embedder: str = "builtin"
    #: Where large files lie, in any way that fsspec speaks; empty for a folder among the data.
    blobs: str = ""
    largest_file: int = 500_000_000
    #: How much an archive may hold once it is unpacked.
    largest_archive: int = 2_000_000_000
    #: How many versions of a file are kept; the oldest go first.
    file_versions: int = 100
    #: Whether models may run code, in isolation.
    sandbox: bool = True
    #: Whether admins of workspaces may have programs run on this machine that offer tools.
    tool_programs: bool = False
    #: Names, addresses and networks of our own network that anyone here may connect to.
    private_hosts: tuple[str, ...] = ()

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        """Read each setting from `TERTULIA_…`, and say plainly which one is wrong if one is."""
        env = os.environ if env is None else env
        values: dict[str, Any] = {"data_dir": default_data_dir(env), "provider_env": dict(env)}
        for field_ in fields(cls):
            name = f"TERTULIA_{field_.name.upper()}"
            if env.get(name) and field_.name != "provider_env":
                values[field_.name] = read(name, env[name], field_.type)
        return cls(**values)

    @property
    def database(self) -> Path:
        """Return where the database file is."""
        return self.data_dir / "tertulia.db"


def read(name: str, text: str, kind: Any) -> Any:
    """Return a setting as a value of its kind, or raise."""
    if kind is bool:
        return switch(name, text)
    if kind is int or kind is float:
        return kind(number(name, text))
    if name == "TERTULIA_LOG_LEVEL" and text.lower() not in LOG_LEVELS:
        raise SettingInvalid(f"{name} must be one of {', '.join(LOG_LEVELS)}, not {text!r}.", name=name)
    if name == "TERTULIA_EMBEDDER":
        return embedder(name, text)
    if kind == tuple[str, ...]:
        return hosts(name, text)
    return Path(text).expanduser() if kind is Path else text.rstrip("/")


def embedder(name: str, text: str) -> str:
    """Return who makes vectors: `builtin`, `off`, or a connection and its model."""
    if text.strip().lower() in ("builtin", "off"):
        return text.strip().lower()
    connection, _, model = text.strip().partition("/")
    if not connection or not model:
        such = "a connection and a model such as openai/text-embedding-3-small"
        raise SettingInvalid(f"{name} must be builtin, off, or {such}, not {text!r}.", name=name)
    return text.strip()


def hosts(name: str, text: str) -> tuple[str, ...]:
    """Return a list of host names, addresses and networks, separated by commas."""
    entries = tuple(entry.strip().lower() for entry in text.split(",") if entry.strip())
    for entry in entries:
        if not is_network(entry) and not is_host_name(entry):
            example = "such as gpu.example.org, 192.168.1.20 or 10.0.0.0/8"
            message = f"{name} must hold names, addresses and networks {example}, not {entry!r}."
            raise SettingInvalid(message, name=name)
    return entries


def is_host_name(text: str) -> bool:
    """Tell whether a text is a host's name, and no address that was mistyped."""
    return HOST_NAME.fullmatch(text) is not None and not text.rpartition(".")[2].isdigit()


def is_network(text: str) -> bool:
    """Tell whether a text is an address or a network."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def number(name: str, text: str) -> float:
    """Return a setting that must be a number of at least zero."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise SettingInvalid(f"{name} must be a number of at least 0, not {text!r}.", name=name)
    return value


def switch(name: str, text: str) -> bool:
    """Return a setting that is on or off."""
    known = {"1": True, "true": True, "yes": True, "on": True}
    known |= {"0": False, "false": False, "no": False, "off": False}
    if text.strip().lower() not in known:
        raise SettingInvalid(f"{name} must be on or off, not {text!r}.", name=name)
    return known[text.strip().lower()]
