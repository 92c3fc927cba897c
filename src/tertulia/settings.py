"""The environment, read once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tertulia.core.errors import Invalid


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
    builtin_model: bool = True
    discover_local: bool = True
    utility_model: str = ""

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        """Read the settings, and say plainly which variable is wrong if one is."""
        env = os.environ if env is None else env
        return cls(
            data_dir=Path(env.get("TERTULIA_DATA_DIR") or default_data_dir(env)).expanduser(),
            provider_env=dict(env),
            public_url=env.get("TERTULIA_PUBLIC_URL", "").rstrip("/"),
            log_level=env.get("TERTULIA_LOG_LEVEL", "info").lower(),
            busy_seconds=number(env, "TERTULIA_BUSY_SECONDS", cls.busy_seconds),
            silence_seconds=number(env, "TERTULIA_SILENCE_SECONDS", cls.silence_seconds),
            provider_retries=int(number(env, "TERTULIA_PROVIDER_RETRIES", cls.provider_retries)),
            lease_seconds=number(env, "TERTULIA_LEASE_SECONDS", cls.lease_seconds),
            drain_seconds=number(env, "TERTULIA_DRAIN_SECONDS", cls.drain_seconds),
            session_days=int(number(env, "TERTULIA_SESSION_DAYS", cls.session_days)),
            lanes_per_person=int(number(env, "TERTULIA_LANES_PER_PERSON", cls.lanes_per_person)),
            lanes_per_workspace=int(number(env, "TERTULIA_LANES_PER_WORKSPACE", cls.lanes_per_workspace)),
            builtin_model=switch(env, "TERTULIA_BUILTIN_MODEL", default=True),
            discover_local=switch(env, "TERTULIA_DISCOVER_LOCAL", default=True),
            utility_model=env.get("TERTULIA_UTILITY_MODEL", ""),
        )

    @property
    def database(self) -> Path:
        """Return where the database file is."""
        return self.data_dir / "tertulia.db"


def number(env: Mapping[str, str], name: str, default: float) -> float:
    """Return a setting that must be a number of at least zero."""
    text = env.get(name, "")
    try:
        value = float(text) if text else float(default)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise SettingInvalid(f"{name} must be a number of at least 0, not {text!r}.", name=name)
    return value


def switch(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Return a setting that is on or off."""
    text = env.get(name, "").strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    if text:
        raise SettingInvalid(f"{name} must be on or off, not {text!r}.", name=name)
    return default
