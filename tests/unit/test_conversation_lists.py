"""Lists of conversations are read in the order of an index: their cost does not grow with what is there."""

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from tertulia.conversations import conversation_list
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.statements import SqliteStatements

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


def plan_of(read: Callable[[Tx], Any]) -> list[str]:
    """Return how the one statement that a function executes is carried out."""
    connection = apsw.Connection(":memory:")
    migrate(connection)
    executed = list[tuple[str, Any]]()

    def note(_: apsw.Cursor, sql: str, values: Any) -> bool:
        executed.append((sql, values))
        return True

    connection.exec_trace = note
    read(
        Tx(
            SqliteStatements(connection),
            by=Principal("usr", "wsp", Role.MEMBER),
            tenant_tables=frozenset(),
            checked_statements=set(),
        )
    )
    connection.exec_trace = None
    [(sql, values)] = executed
    return [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
