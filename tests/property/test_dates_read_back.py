"""Days and times in words: reading never fails, and what is written for people is read back."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from evals.dates.labelled_sets import load_set
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort

from tertulia.dates.expressions import read_expression
from tertulia.dates.plain_words import make_plain
from tertulia.dates.wording import describe_day, describe_moment, describe_span

ZONES = ["Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "UTC"]
WORDS = sorted(
    {word for name in ("tuned", "report") for item in load_set(name) for word in item.text.split()}
)
SPAN_SECONDS = (157_766_400, 6_626_966_400)
moments = st.integers(*SPAN_SECONDS).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
days = st.dates(date(1975, 1, 1), date(2090, 12, 31))
zones = st.sampled_from(ZONES)
sentences = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=12).map(" ".join)


@given(st.one_of(st.text(max_size=60), sentences), moments, zones)
@settings(max_examples=effort(150))
def test_reading_never_fails(text: str, now: datetime, zone: str) -> None:
    reading = read_expression(text, now=now, zone=zone)
    if reading is None:
        return
    assert reading.reading
    assert reading.is_all_day is not isinstance(reading.start, datetime)
    if isinstance(reading.start, datetime) and isinstance(reading.end, datetime):
        assert reading.end.astimezone(UTC) >= reading.start.astimezone(UTC)
    elif reading.end is not None:
        assert reading.end > reading.start


@given(st.text(max_size=40))
@settings(max_examples=effort(60))
def test_every_plain_word_knows_where_it_comes_from(text: str) -> None:
    plain = make_plain(text)
    assert len(plain.text) == len(plain.starts) == len(plain.ends)
    assert all(0 <= start <= end <= len(text) for start, end in zip(plain.starts, plain.ends, strict=True))


@given(days, moments, zones)
@settings(max_examples=effort(60))
def test_days_are_read_back_as_they_are_written(day: date, now: datetime, zone: str) -> None:
    for text in (describe_day(day), day.isoformat(), f"{day.day}.{day.month}.{day.year}"):
        reading = read_expression(text, now=now, zone=zone)
        assert reading is not None
        assert (reading.start, reading.rest) == (day, "")


@given(moments, moments, zones)
@settings(max_examples=effort(60))
def test_moments_are_read_back_as_they_are_written(moment: datetime, now: datetime, zone: str) -> None:
    minute = moment.replace(second=0, microsecond=0)
    shown = minute.astimezone(ZoneInfo(zone))
    reading = read_expression(describe_moment(minute, zone), now=now, zone=zone)
    assert reading is not None
    assert isinstance(reading.start, datetime)
    # Of a time that comes twice, the first is meant.
    assert reading.start.replace(tzinfo=None) == shown.replace(tzinfo=None)
    iso = read_expression(minute.isoformat(), now=now, zone=zone)
    assert iso is not None
    assert iso.start == minute


@given(days, st.integers(2, 40), moments, zones)
@settings(max_examples=effort(60))
def test_several_days_are_read_back_as_they_are_written(
    first: date, count: int, now: datetime, zone: str
) -> None:
    end = first + timedelta(count)
    reading = read_expression(describe_span(first, end, zone), now=now, zone=zone)
    assert reading is not None
    assert (reading.start, reading.end) == (first, end)
