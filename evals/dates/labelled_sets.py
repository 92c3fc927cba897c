"""Labelled expressions: what was said, when and where, and what is meant."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tertulia.dates.expressions import DateReading, read_expression

FOLDER = Path(__file__).parent
SET_NAMES = ("tuned", "report", "fresh")
NOTHING = "none"


@dataclass(frozen=True)
class LabelledExpression:
    """What was said, and its label: `none`, or the day or time and the rule that are meant."""

    text: str
    label: str
    now: datetime
    zone: str


@dataclass(frozen=True)
class Outcome:
    """What was read of an expression, written as labels are."""

    expression: LabelledExpression
    read: str

    @property
    def has_right_day(self) -> bool:
        """Tell whether the days are right, whatever the times are; also where there is none."""
        return days_of(self.read) == days_of(self.expression.label)

    @property
    def has_right_time(self) -> bool:
        """Tell whether everything is right."""
        return self.read == self.expression.label

    @property
    def is_timed(self) -> bool:
        """Tell whether a time is meant, or one was read."""
        return "T" in self.expression.label.split(" ")[0] or "T" in self.read.split(" ")[0]


def load_set(name: str) -> Iterator[LabelledExpression]:
    """Yield the expressions of a set."""
    now, zone = datetime.now(UTC), "UTC"
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            moment, zone = line[1:].split()
            now = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))
        elif "=>" in line and not line.startswith("#"):
            text, _, label = line.partition("=>")
            yield LabelledExpression(text.strip(), label.strip(), now, zone)


def read_set(name: str) -> list[Outcome]:
    """Return what is read of every expression of a set."""
    return [
        Outcome(item, label_reading(read_expression(item.text, now=item.now, zone=item.zone)))
        for item in load_set(name)
    ]


def label_reading(reading: DateReading | None) -> str:
    """Return a reading as labels are written."""
    if reading is None:
        return NOTHING
    return f"{label_span(reading.start, reading.end)} {reading.rrule}".strip()


def label_span(start: date | datetime, end: date | datetime | None) -> str:
    """Return days as `2026-11-20..2026-11-22`, times as `2026-11-20T16:00/17:00`."""
    if not isinstance(start, datetime):
        last = end - timedelta(1) if end is not None else start
        return f"{start}" if last <= start else f"{start}..{last}"
    begin = f"{start:%Y-%m-%dT%H:%M}"
    if not isinstance(end, datetime):
        return begin
    return f"{begin}/{end:%H:%M}" if end.date() == start.date() else f"{begin}/{end:%Y-%m-%dT%H:%M}"


def days_of(label: str) -> str:
    """Return a label without its times of day."""
    return re.sub(r"T\d\d:\d\d(?=[/ ]|$)|(?<=/)\d\d:\d\d|T\d{6}Z", "", label).rstrip("/")
