"""Naming a thing by the end of its id, which is all that a terminal shows of it."""

from collections.abc import Sequence

import click

from tertulia.cli.output import console
from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject

#: So many characters of an id's end are shown at a terminal, and are enough to name a thing.
ID_END_CHARS = 6


def shown_id_chars() -> int:
    """Return how many characters of an id's end are printed; 0 for all of them, in a pipe."""
    return ID_END_CHARS if console().is_terminal else 0


def short_id(thing_id: str) -> str:
    """Return the end of an id, which is enough to name a thing."""
    return thing_id[-ID_END_CHARS:]


def find_by_end(known: Sequence[JsonObject], end: str, *, noun: str, plural: str = "") -> JsonObject:
    """Return the one thing whose id ends like this; refuse an end that is too short or that several have."""
    found = {thing["id"]: thing for thing in known if thing["id"].endswith(end.upper())}
    if not found or len(end) < ID_END_CHARS:
        raise NotFound(f"{noun}: {end}")
    if len(found) > 1:
        ids = ", ".join(found)
        raise click.UsageError(f"Several {plural or f'{noun}s'} end in {end}. Name one by its id: {ids}.")
    return next(iter(found.values()))
