"""What a model's name means to a program: one model, a preset, or several joined with `+`."""

from dataclasses import dataclass

from tertulia.core.principal import Principal
from tertulia.models.calls import Effort
from tertulia.models.errors import ModelUnknown
from tertulia.models.service import Models

PRESET_PREFIX = "table/"


@dataclass(frozen=True, slots=True)
class RequestedTable:
    """Who is asked, and who joins the answers into one, if anyone does."""

    models: tuple[str, ...]
    merge_model: str | None = None
    #: How long each of them should think; empty: all as they like.
    efforts: tuple[Effort | None, ...] = ()


async def resolve_table(name: str, *, by: Principal, models: Models) -> RequestedTable:
    """Return whom a name stands for, or raise `ModelUnknown`."""
    if name.startswith(PRESET_PREFIX):
        for preset in await models.presets.list_all(by):
            if preset.name == name.removeprefix(PRESET_PREFIX):
                return RequestedTable(tuple(preset.models), preset.merge_model, preset.efforts)
    try:
        return RequestedTable(((await models.resolve(name, by)).model.id,))
    except ModelUnknown:
        several = [part.strip() for part in name.split("+")]
        if len(several) < 2:
            raise
        return RequestedTable(tuple([(await models.resolve(part, by)).model.id for part in several]))


async def list_names(*, by: Principal, models: Models) -> list[tuple[str, str]]:
    """Return every name that can be asked for, with who offers it."""
    listing = await models.catalogue(by)
    presets = await models.presets.list_all(by)
    return [(model.id, model.connection) for model in listing.models] + [
        (f"{PRESET_PREFIX}{preset.name}", "tertulia") for preset in presets
    ]
