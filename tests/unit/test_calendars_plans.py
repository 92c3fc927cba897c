"""What happens in a calendar is looked up by the calendar, however full the workspace is."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.query_plans import plan_of

from tertulia.calendars import event_store, store
from tertulia.core.clock import now
from tertulia.infra.db import Tx

LOW = now()
HIGH = LOW + timedelta(days=365)
LOOKUPS: dict[str, Callable[[Tx], Any]] = {
    "busy": lambda tx: event_store.list_busy(tx, ["cal_1"], low=LOW, high=HIGH),
    "events": lambda tx: event_store.list_between(tx, ["cal_1"], low=LOW, high=HIGH, text="", limit=10),
    "words": lambda tx: event_store.list_between(tx, ["cal_1"], low=LOW, high=HIGH, text="a", limit=10),
    "all": lambda tx: event_store.list_of_calendar(tx, "cal_1"),
    "count": lambda tx: event_store.count_of_calendar(tx, "cal_1"),
    "waiting": store.list_calendars,
    "uids": lambda tx: event_store.find_by_uids(tx, "cal_1", ["a", "b"]),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_events_of_a_calendar_are_found_without_those_of_others(name: str) -> None:
    plan = plan_of(LOOKUPS[name])
    assert any("(calendar_id=? AND workspace_id=?" in step for step in plan), plan
    assert not any("calendar_objects_by_workspace" in step for step in plan), plan
