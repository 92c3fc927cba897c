"""Working hours and other preferences on the wire."""

from typing import Annotated, Self, cast

from pydantic import BeforeValidator, Field, StringConstraints

from tertulia.accounts.schemas import TimeZoneName
from tertulia.core.json_object import JsonObject
from tertulia.infra.http.schema import Schema, omit_unset
from tertulia.planning.day_parts import WEEKDAYS, PartOfDay
from tertulia.planning.domain import CalendarPreferences

BUFFER_MAX_MINUTES = 12 * 60
SPANS_OF_DAY_MAX = 12
ClockTime = Annotated[str, StringConstraints(min_length=1, max_length=8)]
BufferMinutes = Annotated[int, Field(ge=0, le=BUFFER_MAX_MINUTES)]


class HoursSpan(Schema):
    """From when to when, as the clock shows it: 24:00, or 00:00, ends a day."""

    start: ClockTime = Field(examples=["09:00"])
    end: ClockTime = Field(examples=["17:00"])


HoursOfDay = Annotated[list[HoursSpan], Field(max_length=SPANS_OF_DAY_MAX)]


class WeekHoursBody(Schema):
    """Working hours by weekday, each with any number of spans; an empty list is a day off."""

    monday: HoursOfDay = Field(default_factory=list[HoursSpan])
    tuesday: HoursOfDay = Field(default_factory=list[HoursSpan])
    wednesday: HoursOfDay = Field(default_factory=list[HoursSpan])
    thursday: HoursOfDay = Field(default_factory=list[HoursSpan])
    friday: HoursOfDay = Field(default_factory=list[HoursSpan])
    saturday: HoursOfDay = Field(default_factory=list[HoursSpan])
    sunday: HoursOfDay = Field(default_factory=list[HoursSpan])

    def to_spans(self) -> dict[str, list[dict[str, str]]]:
        """Return the spans of the weekdays that were sent."""
        return {
            name: [{"start": span.start, "end": span.end} for span in getattr(self, name)]
            for name in WEEKDAYS
            if name in self.model_fields_set
        }


def spread_hours(value: object) -> object:
    """Return hours by weekday: a span, or a list of them, is that of every day; a day may have one alone."""
    if isinstance(value, list):
        return dict.fromkeys(WEEKDAYS, cast("object", value))
    if not isinstance(value, dict):
        return value
    given = cast("dict[object, object]", value)
    if {"start", "end"} <= given.keys():
        return {weekday: [given] for weekday in WEEKDAYS}
    return {_full_name(str(name)): _list_spans(spans) for name, spans in given.items()}


def _list_spans(spans: object) -> object:
    """Return the spans of a day as a list; no spans at all are none."""
    if spans is None:
        return []
    return [cast("object", spans)] if isinstance(spans, dict) else spans


def _full_name(name: str) -> str:
    """Return the name of a weekday in small letters, also of one that is given as "Mon"."""
    word = name.strip().casefold()
    return next(
        (weekday for weekday in WEEKDAYS if len(word) >= len("mon") and weekday.startswith(word)), name
    )


GivenHours = Annotated[
    WeekHoursBody,
    BeforeValidator(spread_hours, json_schema_input_type=WeekHoursBody | HoursSpan | list[HoursSpan]),
]


class CalendarPreferencesView(Schema):
    """When you work, and how you like your time to be planned."""

    time_zone: str
    working_hours: WeekHoursBody
    #: Room that is left before and after every event.
    buffer_minutes: int
    #: Tried in this order when a task is scheduled without a time.
    preferred_times: list[PartOfDay]

    @classmethod
    def of(cls, preferences: CalendarPreferences, zone: str) -> Self:
        """Show preferences, with the zone in which they are meant."""
        return cls(
            time_zone=zone,
            working_hours=WeekHoursBody.model_validate(preferences.working_hours),
            buffer_minutes=preferences.buffer_minutes,
            preferred_times=preferences.preferred_times,
        )


class CalendarPreferencesChange(Schema):
    """What to change; fields and weekdays that are left out stay as they are."""

    time_zone: TimeZoneName | None = None
    working_hours: GivenHours = Field(default_factory=WeekHoursBody)
    buffer_minutes: BufferMinutes = 0
    preferred_times: Annotated[list[PartOfDay], Field(max_length=len(PartOfDay))] = Field(
        default_factory=list[PartOfDay]
    )

    def to_values(self) -> JsonObject:
        """Return what is to be changed."""
        values = omit_unset(self)
        if "working_hours" in values:
            values["working_hours"] = self.working_hours.to_spans()
        return values
