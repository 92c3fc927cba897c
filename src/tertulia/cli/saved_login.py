"""Tokens that `tertulia login` keeps, one for each server, for their owner's eyes only."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

LOGINS_FILE_NAME = "logins.json"


def config_dir(env: Mapping[str, str]) -> Path:
    """Return where the platform keeps a person's settings."""
    base = env.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "tertulia"


def load_token(url: str, *, env: Mapping[str, str]) -> str | None:
    """Return the token kept for a server, if there is one."""
    return _read_all(config_dir(env) / LOGINS_FILE_NAME).get(url)


def save_token(url: str, token: str, *, env: Mapping[str, str]) -> Path:
    """Keep a token for a server, in place of an earlier one."""
    folder = config_dir(env)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path, draft = folder / LOGINS_FILE_NAME, folder / f".{LOGINS_FILE_NAME}.part"
    draft.unlink(missing_ok=True)
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump({**_read_all(path), url: token}, file, indent=2)
    os.replace(draft, path)
    return path


def _read_all(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}
