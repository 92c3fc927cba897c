"""The tool by which a model finds free time on a person's calendars."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.dates.wording import describe_day, describe_moments
from tertulia.infra.db import Database, Tx
from tertulia.planning.day_parts import PartOfDay
from tertulia.planning.domain import SLOTS_MAX_COUNT, SlotWish
from tertulia.planning.free_slots import Slot
from tertulia.planning.preferences import find_zone
from tertulia.planning.slots import find_free_slots
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.date_arguments import day_of, last_day_of, moment_of, read_once, read_until
from tertulia.tools.planner.item_lines import moment_fields, quote_items
from tertulia.tools.planner.privacy import require_alone
from tertulia.tools.planner.task_arguments import DayText

TOLD_SLOTS_MAX = 30
SLOT_MAX_MINUTES = 31 * 24 * 60


class FindAvailableSlotsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to fit, and between which days, both included."""

    duration_minutes: Annotated[int, Meta(ge=1, le=SLOT_MAX_MINUTES)]
    start_date: DayText
    end_date: DayText
    preferred_time: PartOfDay | None = None


class FindAvailableSlots:
    """Finds when something fits into the working hours of the person who asks, between what blocks."""

    name = "find_available_slots"
    description = (
        "Find available time slots in the person's calendar for scheduling, within their working hours."
    )
    shape = FindAvailableSlotsArguments
    parameters = parameters_of(FindAvailableSlotsArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: FindAvailableSlotsArguments, caller: ToolCaller) -> ToolOutput:
        """Return the first slots that do not overlap; nobody but the person may read them."""
        require_alone(caller)

        def read(tx: Tx) -> tuple[list[JsonObject], str]:
            zone = find_zone(tx)
            wish = read_wish(arguments, zone=zone)
            found, _ = find_free_slots(tx, wish)
            days = f"{describe_day(wish.first_day)} to {describe_day(wish.last_day)} ({zone})"
            return [slot_fields(slot, zone) for slot in choose_apart(found)], days

        items, days = await self._db.read(read, by=caller.by)
        if not items:
            told = (
                f"There is no free time of {arguments.duration_minutes} minutes within the working hours from"
            )
            return ToolOutput(f"{told} {days}.", is_private=True)
        told = f"These are free from {days}; other starts between them may be free, too."
        return ToolOutput(quote_items(items, after=told), is_private=True)


def read_wish(arguments: FindAvailableSlotsArguments, *, zone: str) -> SlotWish:
    """Return the question that is meant: what is past is no free time."""
    first = read_once(arguments.start_date, zone=zone)
    last = read_until(arguments.end_date, zone=zone, since=day_of(first.start, zone))
    return SlotWish(
        duration=timedelta(minutes=arguments.duration_minutes),
        first_day=day_of(first.start, zone),
        last_day=last_day_of(last, zone),
        opens_at=moment_of(first.start),
        closes_at=moment_of(last.end or last.start),
        part=arguments.preferred_time,
        zone=zone,
        not_before=now(),
        limit=SLOTS_MAX_COUNT,
    )


def choose_apart(slots: Iterable[Slot]) -> list[Slot]:
    """Return the first slots of which none overlaps another."""
    chosen: list[Slot] = []
    for slot in slots:
        if not chosen or slot.start >= chosen[-1].end:
            chosen.append(slot)
    return chosen[:TOLD_SLOTS_MAX]


def slot_fields(slot: Slot, zone: str) -> JsonObject:
    """Return what there is to say of a slot."""
    when = describe_moments(slot.start, slot.end, zone)
    return {"when": when, **moment_fields(slot.start, slot.end, zone)}
