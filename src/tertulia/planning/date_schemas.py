"""Days and times in words on the wire."""

from datetime import date
from typing import Annotated, Self

from pydantic import Field, StringConstraints

from tertulia.accounts.schemas import TimeZoneName
from tertulia.dates.expressions import EXPRESSION_READ_MAX_CHARS, DateReading
from tertulia.infra.http.schema import Schema, ValidUnicode


class DateText(Schema):
    """Words that may name a day or a time."""

    text: Annotated[str, StringConstraints(max_length=EXPRESSION_READ_MAX_CHARS), ValidUnicode] = Field(
        examples=["Dentist next Friday at 4"]
    )
    zone: TimeZoneName | None = Field(
        default=None, description="The zone of the browser, for people whose profile names none."
    )


class DateReadingView(Schema):
    """What words mean: shown before anything is saved."""

    start: str = Field(description="A day as YYYY-MM-DD, or a moment with its offset.")
    end: str | None = Field(
        description="The moment of the end, or the day after the last; null for one day, or one moment."
    )
    all_day: bool
    rrule: str = Field(description="A rule of RFC 5545 where it recurs.")
    said: str = Field(description="The words that were read.")
    rest: str = Field(description="The text without them: what it is about.")
    reading: str = Field(examples=["Friday 20 November 2026, 16:00 (Europe/Madrid)"])
    note: str = Field(description="What was chosen where several things could be meant.")
    zone: str

    @classmethod
    def of(cls, reading: DateReading) -> Self:
        """Show a reading."""
        return cls(
            start=reading.start.isoformat(),
            end=_show(reading.end),
            all_day=reading.is_all_day,
            rrule=reading.rrule,
            said=reading.said,
            rest=reading.rest,
            reading=reading.reading,
            note=reading.note,
            zone=reading.zone,
        )


def _show(moment: date | None) -> str | None:
    return moment.isoformat() if moment is not None else None
