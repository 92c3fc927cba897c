"""Items that the prompts of one round have in common: stored once, and named by their places in the others.

The lanes of a round are shown the same passages and earlier rounds, and differ in who the model is and in how
many tokens it counts. A receipt so says: items 3 to 9 of the round, with these counts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tertulia.context.prompt_plan import Item, LeftOut, Section, SectionKind, map_left_out
from tertulia.context.stored_plans import PlanItems

EntryT = TypeVar("EntryT", Item, LeftOut)
#: The place of the first shared item, how many follow it in their order, and their tokens where those differ.
SharedRun = tuple[int, ...]
RUN_HEAD_LENGTH = 2


@dataclass(frozen=True, slots=True)
class SectionOutline:
    """A section whose items are written out, or named as runs of shared ones."""

    kind: SectionKind
    items: tuple[Item | SharedRun, ...]
    around: int = 0


@dataclass(frozen=True, slots=True)
class PlanOutline:
    """The items of a plan, as far as they are not those of its round; earlier receipts have them whole."""

    sections: tuple[SectionOutline, ...] = ()
    left_out: tuple[LeftOut | SharedRun, ...] = ()


def outline_items(items: PlanItems, shared: PlanItems | None) -> PlanOutline:
    """Return a plan's items with runs in the place of those that are shared."""
    common = PlanItems() if shared is None else shared
    known = _list_items(common)
    places = {item.id: place for place, item in enumerate(known)}
    left_out_places = {_left_out_key(left): place for place, left in enumerate(common.left_out)}
    return PlanOutline(
        tuple(
            SectionOutline(
                section.kind,
                tuple(_join_runs(_refer_item(item, known, places) for item in section.items)),
                section.around,
            )
            for section in items.sections
        ),
        tuple(_join_runs(_refer_left_out(left, common, left_out_places) for left in items.left_out)),
    )


def fill_outline(outline: PlanOutline, shared: PlanItems | None) -> PlanItems:
    """Return a plan's items as they were."""
    common = PlanItems() if shared is None else shared
    known = _list_items(common)
    return PlanItems(
        tuple(
            Section(section.kind, tuple(_fill_items(section.items, known)), section.around)
            for section in outline.sections
        ),
        tuple(_fill_left_out(outline.left_out, common.left_out)),
    )


def map_shared(items: PlanItems, change: Callable[[Item], Item]) -> PlanItems:
    """Return the items of a plan with each changed."""
    sections = tuple(replace(section, items=tuple(map(change, section.items))) for section in items.sections)
    return PlanItems(sections, map_left_out(items.left_out, change))


def map_outline(outline: PlanOutline, change: Callable[[Item], Item]) -> PlanOutline:
    """Return an outline with those items changed that are written out."""
    return PlanOutline(
        tuple(
            replace(
                section,
                items=tuple(change(entry) if isinstance(entry, Item) else entry for entry in section.items),
            )
            for section in outline.sections
        ),
        tuple(
            replace(entry, item=change(entry.item)) if isinstance(entry, LeftOut) else entry
            for entry in outline.left_out
        ),
    )


def _list_items(items: PlanItems) -> list[Item]:
    return [item for section in items.sections for item in section.items]


def _left_out_key(left: LeftOut) -> tuple[str, str, str]:
    return left.section, left.item.id, left.reason


def _refer_item(item: Item, known: Sequence[Item], places: dict[str, int]) -> Item | SharedRun:
    """Return the place of the same item, with its tokens if they alone differ; or the item itself."""
    place = places.get(item.id)
    if place is None:
        return item
    if item == known[place]:
        return (place, 1)
    return (place, 1, item.tokens) if item == replace(known[place], tokens=item.tokens) else item


def _refer_left_out(
    left: LeftOut, common: PlanItems, places: dict[tuple[str, str, str], int]
) -> LeftOut | SharedRun:
    place = places.get(_left_out_key(left))
    return left if place is None or left != common.left_out[place] else (place, 1)


def _join_runs(entries: Iterable[EntryT | SharedRun]) -> Iterator[EntryT | SharedRun]:
    """Yield entries with runs that follow each other joined: all with tokens, or all without."""
    run: SharedRun = ()
    for entry in entries:
        if not isinstance(entry, tuple):
            if run:
                yield run
            run = ()
            yield entry
        elif run and entry[0] == run[0] + run[1] and _has_tokens(entry) == _has_tokens(run):
            run = (run[0], run[1] + 1, *run[RUN_HEAD_LENGTH:], *entry[RUN_HEAD_LENGTH:])
        else:
            if run:
                yield run
            run = entry
    if run:
        yield run


def _has_tokens(run: SharedRun) -> bool:
    return len(run) > RUN_HEAD_LENGTH


def _fill_items(entries: Iterable[Item | SharedRun], known: Sequence[Item]) -> Iterator[Item]:
    for entry in entries:
        if isinstance(entry, Item):
            yield entry
            continue
        first, count, *tokens = entry
        for number, item in enumerate(known[first : first + count]):
            yield replace(item, tokens=tokens[number]) if tokens else item


def _fill_left_out(entries: Iterable[LeftOut | SharedRun], known: Sequence[LeftOut]) -> Iterator[LeftOut]:
    for entry in entries:
        if isinstance(entry, LeftOut):
            yield entry
        else:
            yield from known[entry[0] : entry[0] + entry[1]]
