"""What retrieval does and does not do: the environment decides, and a workspace may decide otherwise."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import msgspec

from tertulia.core.errors import Invalid
from tertulia.infra.db import Tx
from tertulia.settings import Settings, number, switch


class PreferenceInvalid(Invalid):
    """A preference holds something we cannot use."""

    code = "preference_invalid"


@dataclass(frozen=True, slots=True)
class Flags:
    """Each part of retrieval can be off while the rest goes on."""

    #: Words and meanings together; off, only meanings are searched.
    hybrid: bool = True
    #: Long messages in pieces; off, each is found as a whole.
    chunking: bool = True
    #: Files by their structure; off, in pieces of fifty lines.
    structure: bool = True
    dense: bool = True
    rerank: bool = True
    #: Tokens of retrieved passages that a model is shown; 0 shows none.
    token_budget: int = 1000
    summary_frequency: int = 5
    #: Weights of meaning, words and identifiers. Unset, they depend on what is asked and found.
    rerank_alpha: float | None = None
    rerank_beta: float | None = None
    rerank_gamma: float | None = None


#: The most that a number may be.
MOST = {
    "token_budget": 100_000,
    "summary_frequency": 1000,
    "rerank_alpha": 1,
    "rerank_beta": 1,
    "rerank_gamma": 1,
}


def from_env(env: Mapping[str, str]) -> Flags:
    """Read each flag from `RAG_…`."""
    values: dict[str, Any] = {}
    for field in fields(Flags):
        name = f"RAG_{field.name.upper()}"
        if text := env.get(name):
            values[field.name] = switch(name, text) if field.type is bool else number(name, text)
    return checked(Flags(), values)


def checked(flags: Flags, values: Mapping[str, Any]) -> Flags:
    """Return flags with some values changed, or raise for one that cannot be."""
    for name, value in values.items():
        if value is not None and name in MOST and not 0 <= value <= MOST[name]:
            raise PreferenceInvalid(f"{name} must lie between 0 and {MOST[name]}, not {value}.", name=name)
    whole = {
        name: int(value) for name, value in values.items() if name in ("token_budget", "summary_frequency")
    }
    return replace(flags, **{**values, **whole})


def chosen(tx: Tx) -> dict[str, Any]:
    """Return what the workspace decided for itself."""
    sql = "SELECT chosen FROM retrieval_preferences WHERE workspace_id = :workspace"
    kept = tx.value(sql)
    known = {field.name for field in fields(Flags)}
    return {name: value for name, value in msgspec.json.decode(kept or "{}").items() if name in known}


def current(tx: Tx, settings: Settings) -> Flags:
    """Return the flags that hold for a workspace now."""
    return checked(from_env(settings.provider_env), chosen(tx))


def choose(tx: Tx, settings: Settings, values: Mapping[str, Any]) -> Flags:
    """Decide some flags for the workspace; None gives the decision back to the environment."""
    kept = {name: value for name, value in {**chosen(tx), **values}.items() if value is not None}
    checked(from_env(settings.provider_env), kept)
    tx.run(
        """INSERT INTO retrieval_preferences (workspace_id, chosen) VALUES (:workspace, :chosen)
           ON CONFLICT (workspace_id) DO UPDATE SET chosen = :chosen""",
        chosen=kept,
    )
    return current(tx, settings)


def as_dict(flags: Flags) -> dict[str, Any]:
    """Return flags as plain values."""
    return asdict(flags)
