"""Lists of conversations are read in the order of an index: their cost does not grow with what is there."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.query_plans import plan_of

from tertulia.conversations import conversation_list
from tertulia.infra.db import Tx

PLACE = "0" * 26


LISTS: dict[str, tuple[Callable[[Tx], Any], str]] = {
    "all": (conversation_list.list_page, "by_workspace (workspace_id=?)"),
    "next page": (
        lambda tx: conversation_list.list_page(tx, after=PLACE),
        "by_workspace (workspace_id=? AND sort_key<?)",
    ),
    "pinned": (lambda tx: conversation_list.list_page(tx, pinned=True), "by_workspace (workspace_id=?)"),
    "project": (
        lambda tx: conversation_list.list_page(tx, project_id="prj", after=PLACE),
        "by_project (project_id=? AND workspace_id=? AND sort_key<?)",
    ),
    "latest": (conversation_list.find_latest, "by_owner (workspace_id=? AND owner_id=?)"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_in_the_order_of_its_index(name: str) -> None:
    read, index = LISTS[name]
    assert plan_of(read) == [f"SEARCH conversations USING INDEX conversations_{index}"]
