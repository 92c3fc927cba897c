"""How well days and times in words are read, on the labelled sets."""

import pytest
from evals.dates.labelled_sets import SET_NAMES, load_set, read_set

#: The share of days and of times that are to be right. To the report set no rule was fitted.
FLOORS = {"tuned": (0.99, 0.97), "report": (0.99, 0.97), "fresh": (0.95, 0.95)}


def test_there_are_enough_labelled_expressions() -> None:
    assert sum(1 for name in SET_NAMES for _ in load_set(name)) >= 300


@pytest.mark.parametrize("name", SET_NAMES)
def test_days_and_times_are_read_right(name: str) -> None:
    outcomes = read_set(name)
    wrong = [outcome for outcome in outcomes if not outcome.has_right_time]
    days = sum(outcome.has_right_day for outcome in outcomes) / len(outcomes)
    timed = [outcome for outcome in outcomes if outcome.is_timed]
    times = sum(outcome.has_right_time for outcome in timed) / len(timed)
    day_floor, time_floor = FLOORS[name]
    assert (days >= day_floor, times >= time_floor) == (True, True), wrong
