"""Days in words: the server reads them as the person who asks means them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tertulia.cli.errors import ServerRefused
from tertulia.core.json_object import JsonObject
from tertulia.core.time_zones import known_time_zone

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

#: Words of which no day can be read are refused with this status and a code of their own.
UNREAD_STATUS = 422
MALFORMED_REQUEST_CODE = "invalid_request"


@dataclass(frozen=True, slots=True)
class ReadDate:
    """A day or time that was read out of words, as the server tells it."""

    start: str
    #: Of what lasts days, the day after the last.
    end: str | None
    is_all_day: bool
    rrule: str
    #: The words without those that were read.
    rest: str
    #: What was read, for people.
    reading: str

    @property
    def first_day(self) -> str:
        """Return its first day."""
        return self.start[:10]

    @property
    def last_day(self) -> str:
        """Return its last day."""
        if self.end is None:
            return self.first_day
        if self.is_all_day:
            return (date.fromisoformat(self.end[:10]) - timedelta(days=1)).isoformat()
        return self.first_day

    @property
    def minutes(self) -> int | None:
        """Return how long it takes, where the words say that."""
        if self.is_all_day or self.end is None:
            return None
        length = datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)
        return length // timedelta(minutes=1) or None


def read_date(server: "ApiClient", text: str) -> ReadDate | None:
    """Return the day or time that words name; None where they name none."""
    try:
        return to_read_date(server.post("/api/dates/read", {"text": text}), text)
    except ServerRefused as refusal:
        if refusal.status == UNREAD_STATUS and refusal.reason != MALFORMED_REQUEST_CODE:
            return None
        raise


def read_day(server: "ApiClient", text: str) -> str:
    """Return the day that words name, as YYYY-MM-DD; raise what the server says where they name none."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return to_read_date(server.post("/api/dates/read", {"text": text}), text).last_day


def find_time_zone(server: "ApiClient") -> ZoneInfo:
    """Return the zone in which the server tells its person times, whatever that of the terminal is."""
    return ZoneInfo(known_time_zone(server.get("/api/me")["user"]["time_zone"]))


def to_read_date(answer: JsonObject, text: str) -> ReadDate:
    """Return what the server has read."""
    return ReadDate(
        start=answer["start"],
        end=answer["end"],
        is_all_day=answer["all_day"],
        rrule=answer["rrule"],
        rest=answer.get("rest", text),
        reading=answer["reading"],
    )
