"""Neighbours of the same role, made one message: servers with strict chat templates refuse them apart."""

from collections.abc import Iterable
from itertools import chain, groupby

from tertulia.models.calls import Said

BETWEEN = "\n\n"


def turns_of(messages: Iterable[Said]) -> list[list[Said]]:
    """Return the messages in groups of neighbours with the same role."""
    return [list(group) for _, group in groupby(messages, key=lambda said: said.role)]


def joined(messages: Iterable[Said]) -> list[Said]:
    """Return the messages with alternating roles; what several say is one text, in their order."""
    return [turn[0] if len(turn) == 1 else one_of(turn) for turn in turns_of(messages)]


def one_of(turn: list[Said]) -> Said:
    """Return several messages of one role as a single one."""
    return Said(
        turn[0].role,
        BETWEEN.join(said.text for said in turn if said.text),
        images=tuple(chain.from_iterable(said.images for said in turn)),
        tool_calls=tuple(chain.from_iterable(said.tool_calls for said in turn)),
        tool_results=tuple(chain.from_iterable(said.tool_results for said in turn)),
        thought=tuple(chain.from_iterable(said.thought for said in turn)),
        ends_stable=turn[-1].ends_stable,
    )
