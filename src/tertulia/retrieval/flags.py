"""What retrieval does and does not do: the environment decides, and a workspace may decide otherwise."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace

import msgspec

from tertulia.core.errors import Invalid
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.retrieval.personal_flags import (
    allowed_choices,
    check_choice,
    read_allowance,
    read_personal_flags,
    save_personal_flags,
)
from tertulia.settings import RetrievalFlags, Settings


class PreferenceInvalid(Invalid):
    """A preference holds something we cannot use."""

    code = "preference_invalid"


Flags = RetrievalFlags

#: Between what each number must lie.
FLAG_RANGES: dict[str, tuple[float, float]] = {
    field.name: field.metadata["range"] for field in fields(Flags) if "range" in field.metadata
}
INTEGER_FLAGS = frozenset(field.name for field in fields(Flags) if field.type is int)


def with_checked_values(flags: Flags, values: Mapping[str, float]) -> Flags:
    """Return flags with some values changed, or raise for one that cannot be."""
    for name, value in values.items():
        if name in FLAG_RANGES:
            check_range(name, value)
    return replace(
        flags, **{name: int(value) if name in INTEGER_FLAGS else value for name, value in values.items()}
    )


def check_range(name: str, value: float) -> None:
    """Raise for a number that a preference cannot be."""
    least, most = FLAG_RANGES[name]
    if not least <= value <= most or (name in INTEGER_FLAGS and value != int(value)):
        kind = "whole number" if name in INTEGER_FLAGS else "number"
        raise PreferenceInvalid(
            f"{name} must be a {kind} between {least:,} and {most:,}, not {value}.", name=name
        )


def read_chosen_flags(tx: Tx) -> dict[str, float]:
    """Return what the workspace decided for itself."""
    sql = "SELECT chosen FROM retrieval_preferences WHERE workspace_id = :workspace"
    kept = tx.value(sql)
    known = {field.name for field in fields(Flags)}
    return {name: value for name, value in msgspec.json.decode(kept or "{}").items() if name in known}


def read_flags(tx: Tx, settings: Settings, *, user_id: str = "") -> Flags:
    """Return the flags that hold for a workspace now, and for one person in it."""
    flags = with_checked_values(settings.retrieval, read_chosen_flags(tx))
    personal = allowed_choices(read_personal_flags(tx, user_id), read_allowance(tx)) if user_id else {}
    return with_checked_values(flags, personal)


def choose_flags(tx: Tx, settings: Settings, values: Mapping[str, float | None]) -> Flags:
    """Decide some flags for the workspace; None gives the decision back to the environment."""
    kept = {name: value for name, value in {**read_chosen_flags(tx), **values}.items() if value is not None}
    with_checked_values(settings.retrieval, kept)
    tx.run(
        """INSERT INTO retrieval_preferences (workspace_id, chosen) VALUES (:workspace, :chosen)
           ON CONFLICT (workspace_id) DO UPDATE SET chosen = :chosen""",
        chosen=kept,
    )
    return read_flags(tx, settings)


def flags_to_dict(flags: Flags) -> JsonObject:
    """Return flags as plain values."""
    return asdict(flags)


def choose_personal_flags(tx: Tx, settings: Settings, values: Mapping[str, float | None]) -> None:
    """Decide some flags for the caller alone; None gives the decision back to the workspace."""
    check_choice(values, read_allowance(tx))
    before = read_personal_flags(tx, tx.by.user_id)
    kept = {name: value for name, value in {**before, **values}.items() if value is not None}
    with_checked_values(settings.retrieval, kept)
    save_personal_flags(tx, kept)


def flag_origins(tx: Tx, *, user_id: str) -> dict[str, str]:
    """Return who decided each flag: the `person`, the `workspace`, or the `server`."""
    personal = allowed_choices(read_personal_flags(tx, user_id), read_allowance(tx))
    origins = {field.name: "server" for field in fields(Flags)}
    origins |= dict.fromkeys(read_chosen_flags(tx), "workspace")
    return origins | dict.fromkeys(personal, "person")
