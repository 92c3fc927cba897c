"""Moments from what the clocks of a time zone show, also on days on which they are changed."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class LocalMoment:
    """A moment, and what there is to say of it where the clocks are changed."""

    moment: datetime
    note: str = ""


def make_local_moment(day: date, minutes: int, zone: str) -> LocalMoment:
    """Return the moment so many minutes after the beginning of a day, as clocks show it.

    A time that the clocks skip is moved forward by as much as they are; of a time that they show twice,
    the first is meant. Both are told.
    """
    wall = datetime.combine(day, time()) + timedelta(minutes=minutes)
    moment = wall.replace(tzinfo=ZoneInfo(zone))
    shown = moment.astimezone(UTC).astimezone(ZoneInfo(zone))
    if shown.replace(tzinfo=None) != wall:
        note = f"Clocks skip {wall:%H:%M} on this day, so it is moved to {shown:%H:%M}."
        return LocalMoment(shown, note)
    if moment.replace(fold=1).utcoffset() != moment.utcoffset():
        return LocalMoment(moment, f"Clocks show {wall:%H:%M} twice on this day: the first is meant.")
    return LocalMoment(moment)
