"""Neighbours of the same role, made one message: servers with strict chat templates refuse them apart."""

from collections.abc import Iterable
from itertools import chain, groupby

from tertulia.models.calls import PromptMessage

JOINED_TEXT_SEPARATOR = "\n\n"


def group_by_role(messages: Iterable[PromptMessage]) -> list[list[PromptMessage]]:
    """Return the messages in groups of neighbours with the same role."""
    return [list(group) for _, group in groupby(messages, key=lambda said: said.role)]


def alternate_roles(messages: Iterable[PromptMessage]) -> list[PromptMessage]:
    """Return the messages with alternating roles; what several say is one text, in their order."""
    return [turn[0] if len(turn) == 1 else join_messages(turn) for turn in group_by_role(messages)]


def join_messages(messages: list[PromptMessage]) -> PromptMessage:
    """Return several messages of one role as a single one."""
    return PromptMessage(
        messages[0].role,
        JOINED_TEXT_SEPARATOR.join(said.text for said in messages if said.text),
        images=tuple(chain.from_iterable(said.images for said in messages)),
        tool_calls=tuple(chain.from_iterable(said.tool_calls for said in messages)),
        tool_results=tuple(chain.from_iterable(said.tool_results for said in messages)),
        thought=tuple(chain.from_iterable(said.thought for said in messages)),
        ends_stable=messages[-1].ends_stable,
    )
