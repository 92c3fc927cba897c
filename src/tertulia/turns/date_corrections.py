"""Days that a reply names wrongly of what its tools have just written, each with the right one.

Only what is plainly said of the task or event itself is marked: a text may name many other days.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from tertulia.conversations.domain import DateCorrection, WrittenItem, WrittenKind
from tertulia.core.time_zones import known_time_zone
from tertulia.dates.stated_days import StatedDay, find_stated_days
from tertulia.dates.wording import describe_span
from tertulia.turns.statement_words import (
    DUE_BEFORE_PATTERN,
    DUE_PATTERN,
    FOR_BEFORE_PATTERN,
    OTHER_DAY_PATTERN,
    OTHER_MATTER_PATTERN,
    POSSESSIVE_PATTERN,
    QUOTED_NAME_PATTERN,
    RANGE_BETWEEN_PATTERN,
    STAMP_BEFORE_PATTERN,
    STATEMENT_END_PATTERN,
    TODAY_PATTERN,
    WRITING_PATTERN,
)

DELETED_ACTION = "deleted"
TITLE_MIN_CHARS = 3
TITLE_WORD_MIN_CHARS = 4


@dataclass(frozen=True, slots=True)
class Said:
    """The text of a reply from where a call was made on, or a statement of it; when and for which clocks."""

    text: str
    today: date
    zone: str


@dataclass(frozen=True, slots=True)
class WrittenDays:
    """Something that was written, and the days on which it is."""

    item: WrittenItem
    days: tuple[date, ...]

    def has(self, stated: StatedDay) -> bool:
        """Tell whether a day that is stated is one of its own."""
        return any(stated.agrees_with(day) for day in self.days)

    def has_date(self, stated: StatedDay) -> bool:
        """Tell whether the date is one of its own, whatever weekday is said with it."""
        return any(stated.is_date_of(day) for day in self.days)

    @property
    def title(self) -> str:
        """Return its title as titles are compared."""
        return " ".join(self.item.title.casefold().split())


def find_corrections(
    text: str, written: Sequence[tuple[int, WrittenItem]], *, today: date, zone: str
) -> list[DateCorrection]:
    """Return where a reply names another day than what it has written; `written` says where in the text."""
    newest = {item.id: (at, item) for at, item in written}
    known = [
        (at, WrittenDays(item, tuple(list_days(item, zone))))
        for at, item in newest.values()
        if item.action != DELETED_ACTION and item.start
    ]
    found: list[DateCorrection] = []
    for at, of in known:
        others = [other for _, other in known if other is not of]
        said = Said(text[at:], today, zone)
        found += [
            to_correction(of.item, stated, zone=zone) for stated in find_wrong_days(said, of, others=others)
        ]
    return list({correction.said: correction for correction in reversed(found)}.values())[::-1]


def find_wrong_days(said: Said, of: WrittenDays, *, others: Sequence[WrittenDays]) -> Iterator[StatedDay]:
    """Yield the days that a text names wrongly of one thing."""
    for statement in STATEMENT_END_PATTERN.split(said.text):
        stated = find_stated_days(statement, today=said.today)
        yield from judge_statement(Said(statement, said.today, said.zone), stated, of, others)


def judge_statement(
    said: Said, stated: Sequence[StatedDay], of: WrittenDays, others: Sequence[WrittenDays]
) -> Iterator[StatedDay]:
    """Yield the days that a statement names wrongly of one thing."""
    is_of_other = any(other.has(day) for other in others for day in stated if not of.has(day))
    if is_of_other and not is_named_alone(said.text, of, others):
        return
    wrong_weekday = [day for day in stated if of.has_date(day) and not of.has(day)]
    if wrong_weekday:
        yield from wrong_weekday
        return
    if of.item.recurrence_id is not None or not is_statement_on(said.text, of, others):
        return
    if wrong_range := find_wrong_range(said.text, stated, of):
        yield wrong_range
        return
    if any(of.has(day) for day in stated):
        return
    meant = [day for day in stated if is_meant(said, day)]
    if len(meant) == 1:
        yield meant[0]


def is_statement_on(statement: str, of: WrittenDays, others: Sequence[WrittenDays]) -> bool:
    """Tell whether a statement says when one thing is, and does not ask, suppose or tell of other things."""
    is_other_matter = OTHER_MATTER_PATTERN.search(without_titles(statement, [of, *others]))
    return not is_other_matter and is_about(statement, of, others)


def find_wrong_range(statement: str, stated: Sequence[StatedDay], of: WrittenDays) -> StatedDay | None:
    """Return "7 to 10 December" where it is said of what lasts several days, and they are others."""
    if of.days[0] == of.days[-1]:
        return None
    for first, last in pairwise(stated):
        is_range = RANGE_BETWEEN_PATTERN.fullmatch(statement, first.end, last.start)
        if is_range and not (first.agrees_with(of.days[0]) and last.agrees_with(of.days[-1])):
            return replace(first, end=last.end, said=statement[first.start : last.end])
    return None


def is_about(statement: str, of: WrittenDays, others: Sequence[WrittenDays]) -> bool:
    """Tell whether a statement is about one thing that was written, and about no other."""
    if is_named_alone(statement, of, others):
        return True
    return not others and (WRITING_PATTERN.search(statement) is not None or is_due(statement, of))


def is_due(statement: str, of: WrittenDays) -> bool:
    """Tell whether a statement says when a task is due, of which it has a word of the title."""
    words = {word for word in of.title.split() if len(word) >= TITLE_WORD_MIN_CHARS}
    is_task = of.item.kind is WrittenKind.TASK and DUE_PATTERN.search(statement) is not None
    return is_task and not words.isdisjoint(re.findall(r"\w+", statement.casefold()))


def is_named_alone(statement: str, of: WrittenDays, others: Sequence[WrittenDays]) -> bool:
    """Tell whether a statement has the title of one thing, and of no other."""
    plain = " ".join(statement.casefold().split())
    return (
        len(of.title) >= TITLE_MIN_CHARS
        and of.title in plain
        and not any(other.title and other.title in plain for other in others)
    )


def without_titles(statement: str, known: Sequence[WrittenDays]) -> str:
    """Return a statement without the titles of things, which may have any words in them."""
    for of in known:
        if of.title:
            statement = re.sub(re.escape(of.item.title), "…", statement, flags=re.IGNORECASE)
    return statement


def is_meant(said: Said, stated: StatedDay) -> bool:
    """Tell whether a day is the one that is stated, and not the one before a change or an edge."""
    before = said.text[: stated.start]
    if POSSESSIVE_PATTERN.match(said.text, stated.end) or is_in_name(said.text, stated):
        return False
    if stated.is_date_of(said.today) and STAMP_BEFORE_PATTERN.search(before):
        return False
    if TODAY_PATTERN.fullmatch(stated.said) and not FOR_BEFORE_PATTERN.search(before):
        return False
    return bool(DUE_BEFORE_PATTERN.search(before)) or not OTHER_DAY_PATTERN.search(before)


def is_in_name(statement: str, stated: StatedDay) -> bool:
    """Tell whether a day is part of a name in quotation marks, such as “Sunday League”."""
    names = QUOTED_NAME_PATTERN.finditer(statement)
    return any(
        name.start() < stated.start and stated.end < name.end() and name[0][1:-1].strip() != stated.said
        for name in names
    )


def list_days(item: WrittenItem, zone: str) -> Iterator[date]:
    """Yield the days on which something is, by the clocks of its own zone and of the person."""
    if "T" not in item.start:
        day, end = date.fromisoformat(item.start), date.fromisoformat(item.end or item.start)
        yield day
        while (day := day + timedelta(days=1)) < end:
            yield day
        return
    moments = [datetime.fromisoformat(moment) for moment in (item.start, item.end) if moment]
    for name in dict.fromkeys(map(known_time_zone, (item.time_zone or zone, zone))):
        yield from (moment.astimezone(ZoneInfo(name)).date() for moment in moments)


def to_correction(item: WrittenItem, stated: StatedDay, *, zone: str) -> DateCorrection:
    """Return what a person is told of a day that is named wrongly."""
    is_event = item.kind is WrittenKind.EVENT
    return DateCorrection(
        said=stated.said,
        right=describe_days(item, zone),
        event_id=item.id if is_event else None,
        task_id=None if is_event else item.id,
    )


def describe_days(item: WrittenItem, zone: str) -> str:
    """Return the days of something that was written, as a person reads them."""
    if "T" not in item.start:
        end = date.fromisoformat(item.end) if item.end else None
        return describe_span(date.fromisoformat(item.start), end, zone)
    local = ZoneInfo(known_time_zone(item.time_zone or zone))
    return describe_span(datetime.fromisoformat(item.start).astimezone(local).date(), None, zone)
