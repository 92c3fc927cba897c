"""Changing the text of an event: one time of a series, those from one on, or all. Pure: text in, text out."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from tertulia.calendars.caldav.ical_lines import IcalComponent, uid_of, write_calendar
from tertulia.calendars.domain import NewEvent
from tertulia.calendars.errors import CalendarTextInvalid, ScopeUnfit
from tertulia.calendars.event_fields import (
    TEXT_PROPERTIES,
    TIME_FIELDS,
    values_of,
    write_fields,
    write_times,
)
from tertulia.calendars.event_lines import (
    new_calendar,
    parse_text,
    put_lines,
    render,
    render_time,
    render_times,
    touch,
    with_zones,
)
from tertulia.calendars.event_reading import EventPart, TimeKind
from tertulia.calendars.event_times import EventTimes, settle_rule, settle_times
from tertulia.calendars.moved_rules import move_rule
from tertulia.calendars.recurrence_rules import join_rule, split_rule
from tertulia.calendars.series import EventSeries, SeriesTime, read_series
from tertulia.core.clock import from_ms, now
from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject

__all__ = ["change_all", "change_one", "cut", "split", "take_out", "uid_of", "write_new"]

SERIES_PROPERTIES = ("RRULE", "RDATE", "EXDATE", "EXRULE")
#: Of what else is said, a single time follows its series as long as it said the same.
FOLLOWED_PROPERTIES = (*TEXT_PROPERTIES.values(), "TRANSP", "STATUS")


@dataclass(frozen=True, slots=True)
class EventText:
    """The text of a UID as lines, and as what they say; the events of both are in the same order."""

    calendar: IcalComponent
    series: EventSeries

    @classmethod
    def of(cls, ics: str) -> "EventText":
        """Return a text for changing."""
        text = cls(parse_text(ics), read_series(ics))
        if len(text.events) != len(text.series.in_order):
            raise CalendarTextInvalid("its lines and its events do not agree")
        return text

    @property
    def events(self) -> tuple[IcalComponent, ...]:
        """Return the events of the text."""
        return self.calendar.children_named("VEVENT")

    @property
    def main(self) -> IcalComponent:
        """Return the series, or the event that does not recur."""
        if self.series.main is None:
            raise ScopeUnfit("Only single times of this series are known here: change each by itself.")
        return self.lines_of(self.series.main)

    def lines_of(self, part: EventPart) -> IcalComponent:
        """Return the lines of one of the events."""
        pairs = zip(self.series.in_order, self.events, strict=True)
        return next(event for known, event in pairs if known is part)

    @property
    def part(self) -> EventPart:
        """Return what the series says."""
        return self.series.lead

    @property
    def overrides(self) -> list[tuple[datetime, EventPart, IcalComponent]]:
        """Return the single times that differ, each with the time of the series for which it stands."""
        return [
            (self.series.show_name(name), part, self.lines_of(part))
            for name, part in self.series.overrides.items()
        ]

    def find_time(self, name: str) -> SeriesTime:
        """Return one time of the series, or raise `NotFound`."""
        time = self.series.find_time(name)
        if time is None:
            raise NotFound("time of this event")
        return time

    def write(self, *events: IcalComponent) -> str:
        """Return the text with other events in it."""
        others = tuple(child for child in self.calendar.children if child.name != "VEVENT")
        return write_calendar(with_zones(self.calendar.with_children((*others, *events))))


def write_new(new: NewEvent, *, zone: str) -> tuple[str, str]:
    """Return the UID and the text of a new event."""
    values = values_of(new)
    times = settle_times(values, None, zone=zone)
    values["rrule"] = settle_rule(new.rrule, times)
    values["reminders"] = list(new.reminders)
    uid, moment = str(uuid4()), render("DTSTAMP", now().replace(microsecond=0))
    lines = (f"UID:{uid}", moment, moment.replace("DTSTAMP", "CREATED"), "SEQUENCE:0")
    event = write_times(IcalComponent("VEVENT", lines), times)
    event = write_fields(event, values)
    return uid, write_calendar(with_zones(new_calendar(event)))


def change_all(ics: str, values: JsonObject, *, name: str | None, zone: str) -> str:
    """Return the text with an event changed, or a whole series; times are meant of the one that is named."""
    text = EventText.of(ics)
    event, part = text.main, text.part
    times = _settle(text, values, name=name, zone=zone)
    fields = {key: value for key, value in values.items() if key not in TIME_FIELDS}
    if "rrule" in fields:
        fields["rrule"] = settle_rule(fields["rrule"], times)
    changed = write_fields(event, fields, known=part.reminders)
    is_moved = (times.start, times.clock, times.length_ms) != (
        part.start,
        part.clock,
        part.end_ms(part.start) - part.clock.to_ms(part.start),
    )
    if is_moved:
        changed = _move_series(write_times(changed, times), text, times, has_rule="rrule" in fields)
    if fields.get("rrule") == "":
        return text.write(touch(put_lines(changed, SERIES_PROPERTIES, [])))
    overrides = [_follow(override, event, changed, fields) for override in _move_overrides(text, times)]
    if not is_moved and "rrule" not in fields:
        return text.write(touch(changed), *overrides)
    return _drop_misfits(text.write(touch(changed), *overrides))


def change_one(ics: str, values: JsonObject, *, name: str, zone: str) -> str:
    """Return the text with one time of a series changed."""
    if "rrule" in values:
        raise ScopeUnfit(
            "One time of a series has no rule of its own. Change all times, or those that follow."
        )
    text = EventText.of(ics)
    time = text.find_time(name)
    known = _find_override(text, time)
    event = known or _copy_time(text, time)
    if TIME_FIELDS & values.keys():
        event = write_times(event, settle_times(values, _times_of(time), zone=zone))
    fields = {key: value for key, value in values.items() if key not in TIME_FIELDS}
    event = touch(write_fields(event, fields, known=time.part.reminders))
    return text.write(*(other for other in text.events if other is not known), event)


def take_out(ics: str, name: str) -> str | None:
    """Return the text without one time of a series; None where no time is left."""
    text = EventText.of(ics)
    time = text.find_time(name)
    known = _find_override(text, time)
    events = [event for event in text.events if event is not known]
    main = text.series.main
    if main is not None:
        shown = text.series.show_name(time.name)
        events = [
            touch(_add_lines(event, [render_time("EXDATE", main.clock, shown)]))
            if event is text.main
            else event
            for event in events
        ]
    if not events:
        return None
    left = text.write(*events)
    return left if read_series(left).find_first() else None


def cut(ics: str, name: str) -> str | None:
    """Return the text without a time of a series and all after it; None where none is left before it."""
    return split(ics, name)[0]


def split(ics: str, name: str) -> tuple[str | None, str]:
    """Return a series up to a time, None where there is none before it, and from it on, as another series."""
    text = EventText.of(ics)
    at = text.series.show_name(text.find_time(name).name)
    first = text.series.find_first_shown()
    if first is None or at <= first:
        return None, ics
    part, main = text.part, text.main
    before = [event for shown, _, event in text.overrides if shown < at]
    after = [event for shown, _, event in text.overrides if shown >= at]
    head = touch(_keep_dates(_end_rules(main, part, at), part, before=at))
    tail = touch(_keep_dates(_begin_rules(main, part, at), part, since=at))
    uid = render("UID", str(uuid4()))
    tail_events = [put_lines(event, ["UID"], [uid]) for event in (tail, *after)]
    return text.write(head, *before), text.write(*tail_events)


def _settle(text: EventText, values: JsonObject, *, name: str | None, zone: str) -> EventTimes:
    """Return when the first time of a series is to be, from what is said of one of them."""
    part = text.part
    first = _times_of(text.series.make_time(part.start))
    if not TIME_FIELDS & values.keys():
        return first
    time = text.find_time(name) if name and text.series.is_recurring else None
    if time is None:
        return settle_times(values, first, zone=zone)
    wanted = settle_times(values, _times_of(time), zone=zone)
    moved_by = wanted.start - _times_of(time).start
    moved = wanted.clock.to_ms(first.start + moved_by)
    return EventTimes(wanted.clock, first.start + moved_by, moved + wanted.length_ms)


def _times_of(time: SeriesTime) -> EventTimes:
    clock = time.part.clock
    start = from_ms(time.start)
    shown = clock.show(start) if clock.kind is TimeKind.ZONED else start.replace(tzinfo=None)
    return EventTimes(clock, shown, time.end)


def _move_series(
    event: IcalComponent, text: EventText, times: EventTimes, *, has_rule: bool
) -> IcalComponent:
    """Return a series whose rules and single dates are moved with its first time."""
    part = text.part
    moved_by = times.start - part.start
    if not has_rule:
        rules = [
            f"RRULE:{_move(line.partition(':')[2], part, times, moved_by)}"
            for line in event.lines_named("RRULE")
        ]
        event = put_lines(event, ["RRULE"], rules)
    if not moved_by and times.clock == part.clock:
        return event
    excluded = [part.clock.show(value) + moved_by for value in part.excluded]
    added = [part.clock.show(value) + moved_by for value, _ in part.added]
    event = put_lines(event, ["EXDATE"], render_times("EXDATE", times.clock, excluded))
    return put_lines(event, ["RDATE"], render_times("RDATE", times.clock, added))


def _move(rule: str, part: EventPart, times: EventTimes, moved_by: timedelta) -> str:
    return move_rule(rule, before=part.clock, after=times.clock, start=part.start, moved_by=moved_by)


def _move_overrides(text: EventText, times: EventTimes) -> list[IcalComponent]:
    """Return the single times of a moved series: those at their own time stay there, the others follow."""
    part = text.part
    moved_by = times.start - part.start
    length = part.end_ms(part.start) - part.clock.to_ms(part.start)
    moved: list[IcalComponent] = []
    for at, override, lines in text.overrides:
        event, start = lines, times.clock.to_ms(at + moved_by)
        is_in_place = override.clock == part.clock and override.start == at
        is_as_long = override.end_ms(override.start) - override.clock.to_ms(override.start) == length
        if is_in_place and is_as_long:
            event = write_times(event, EventTimes(times.clock, at + moved_by, start + times.length_ms))
        if moved_by or times.clock != part.clock:
            named = render_time("RECURRENCE-ID", times.clock, at + moved_by)
            event = put_lines(event, ["RECURRENCE-ID"], [named])
        moved.append(event)
    return moved


def _follow(
    override: IcalComponent, before: IcalComponent, after: IcalComponent, fields: JsonObject
) -> IcalComponent:
    """Return a single time that says of the changed fields what its series says, if it did so before."""
    changed = override
    for name in FOLLOWED_PROPERTIES:
        is_changed = before.lines_named(name) != after.lines_named(name)
        if is_changed and override.lines_named(name) == before.lines_named(name):
            changed = put_lines(changed, [name], after.lines_named(name))
    if "reminders" in fields and override.children_named("VALARM") == before.children_named("VALARM"):
        kept = tuple(child for child in changed.children if child.name != "VALARM")
        changed = changed.with_children((*kept, *after.children_named("VALARM")))
    return changed if changed is override else touch(changed)


def _drop_misfits(ics: str) -> str:
    """Return a text without the single times that its series does not have any more."""
    text = EventText.of(ics)
    misfits = [event for shown, _, event in text.overrides if not text.series.has_shown(shown)]
    if not misfits:
        return ics
    return text.write(*(event for event in text.events if event not in misfits))


def _copy_time(text: EventText, time: SeriesTime) -> IcalComponent:
    """Return one time of a series as an event that can differ from the others."""
    source = text.lines_of(time.part)
    event = put_lines(source, SERIES_PROPERTIES, [])
    named = render_time("RECURRENCE-ID", text.part.clock, text.series.show_name(time.name))
    event = write_times(put_lines(event, ["RECURRENCE-ID"], []), _times_of(time))
    return put_lines(event, ["RECURRENCE-ID"], [named])


def _find_override(text: EventText, time: SeriesTime) -> IcalComponent | None:
    """Return the lines of a time that differs already."""
    part = text.series.overrides.get(time.name)
    return text.lines_of(part) if part else None


def _add_lines(event: IcalComponent, lines: list[str]) -> IcalComponent:
    return replace(event, lines=(*event.lines, *lines))


def _keep_dates(
    event: IcalComponent, part: EventPart, *, before: datetime | None = None, since: datetime | None = None
) -> IcalComponent:
    """Return a series with the single dates of one side alone."""

    def is_kept(shown: datetime) -> bool:
        return (before is None or shown < before) and (since is None or shown >= since)

    excluded = [part.clock.show(value) for value in part.excluded]
    kept = render_times("EXDATE", part.clock, [shown for shown in excluded if is_kept(shown)])
    event = put_lines(event, ["EXDATE"], kept)
    if all(is_kept(part.clock.show(value)) for value, _ in part.added):
        return event
    added = [part.clock.show(value) for value, _ in part.added]
    lines = render_times("RDATE", part.clock, [shown for shown in added if is_kept(shown)])
    return put_lines(event, ["RDATE"], lines)


def _end_rules(event: IcalComponent, part: EventPart, at: datetime) -> IcalComponent:
    """Return a series whose rules end before a time."""
    lines: list[str] = []
    for line, rule in zip(event.lines_named("RRULE"), part.rules, strict=False):
        parts = split_rule(line.partition(":")[2])
        counted = rule.count_before(at)
        if "COUNT" in parts:
            parts["COUNT"] = str(counted)
        else:
            parts["UNTIL"] = _name_time_before(part, at)
        lines += [f"RRULE:{join_rule(parts)}"] if counted else []
    return put_lines(event, ["RRULE"], lines)


def _name_time_before(part: EventPart, at: datetime) -> str:
    """Return the last time before one; a second earlier the clock may show what it never does."""
    if part.clock.kind is TimeKind.ZONED:
        return f"{from_ms(part.clock.to_ms(at)) - timedelta(seconds=1):%Y%m%dT%H%M%SZ}"
    is_day = part.clock.kind is TimeKind.DAY
    return part.clock.name_time(at - (timedelta(days=1) if is_day else timedelta(seconds=1)))


def _begin_rules(event: IcalComponent, part: EventPart, at: datetime) -> IcalComponent:
    """Return a series that begins with a time, and whose rules count what is left."""
    lines: list[str] = []
    start = at
    for line, rule in zip(event.lines_named("RRULE"), part.rules, strict=False):
        parts = split_rule(line.partition(":")[2])
        next_at = rule.find_next(at)
        if next_at is None:
            continue
        if next_at != at and len(part.rules) == 1:
            start = next_at
        if "COUNT" in parts:
            parts["COUNT"] = str(max(1, (rule.count or 1) - rule.count_before(at)))
        lines.append(f"RRULE:{join_rule(parts)}")
    end = part.clock.to_ms(start) + part.end_ms(part.start) - part.clock.to_ms(part.start)
    event = write_times(event, EventTimes(part.clock, start, end))
    if start != at:
        event = _add_lines(event, [render_time("RDATE", part.clock, at)])
    return put_lines(event, ["RRULE"], lines)
