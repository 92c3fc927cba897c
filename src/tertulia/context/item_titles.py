"""Titles of items that quote a message's first words: a receipt points at the message instead."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tertulia.context.plan_items import shorten_title
from tertulia.context.prompt_plan import Item
from tertulia.conversations.round_lookup import find_openings
from tertulia.infra.db import Tx

#: Stands at the end of a title for the first words of the item's first message. People do not type it.
OPENING_MARK = "\x1a"
#: Characters of a message that its title is made of, with room for spaces that are not shown.
OPENING_MAX_CHARS = 400


def read_openings(tx: Tx, items: Iterable[Item]) -> dict[str, str]:
    """Return how messages of items begin, as titles have it, by their ids."""
    wanted = {item.pointer.message_ids[0] for item in items if item.pointer.message_ids}
    found = find_openings(tx, sorted(wanted), max_chars=OPENING_MAX_CHARS)
    return {id_: shorten_title(words) for id_, words in found.items()}


def without_opening(item: Item, openings: Mapping[str, str]) -> Item:
    """Return an item whose title has a mark in the place of its message's first words."""
    opening = openings.get(item.pointer.message_ids[0], "") if item.pointer.message_ids else ""
    if not opening or not item.title.endswith(opening):
        return item
    return replace(item, title=item.title.removesuffix(opening) + OPENING_MARK)


def with_opening(item: Item, openings: Mapping[str, str]) -> Item:
    """Return an item whose title has its message's first words."""
    if not item.title.endswith(OPENING_MARK) or not item.pointer.message_ids:
        return item
    opening = openings.get(item.pointer.message_ids[0], "")
    return replace(item, title=item.title.removesuffix(OPENING_MARK) + opening)
