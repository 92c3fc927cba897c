"""Time: always UTC, kept to the millisecond, and stored as milliseconds since 1970."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def now() -> datetime:
    """Return the present moment, cut to the precision that storage keeps."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(moment: datetime) -> int:
    """Return the milliseconds since 1970 of a moment that knows its time zone."""
    return (moment - EPOCH) // MILLISECOND


def from_ms(milliseconds: int) -> datetime:
    """Return the moment so many milliseconds after 1970."""
    return EPOCH + milliseconds * MILLISECOND
