"""The statements that a connection has prepared: the server plans them once instead of each time."""

from collections import OrderedDict
from collections.abc import Sequence

from psycopg import pq

from tertulia.infra.db.postgres.errors import check_result

#: Statements that stay prepared on each connection, the last ones used.
PREPARED_STATEMENTS_MAX = 512
#: Statements remembered as run once; another run prepares them.
STATEMENTS_SEEN_MAX = 4096

StatementKey = tuple[bytes, Sequence[int]]


class PreparedStatements:
    """Prepares what is run for the second time, and lets go of what was not run for longest."""

    def __init__(self, pgconn: pq.abc.PGconn) -> None:
        self._pgconn = pgconn
        self._names: OrderedDict[StatementKey, bytes] = OrderedDict()
        self._seen: set[StatementKey] = set()
        self._count = 0

    def find_name(self, sql: bytes, types: Sequence[int]) -> bytes | None:
        """Return the name by which a statement with values of these types is prepared, if it is worth it."""
        key = (sql, types)
        if name := self._names.get(key):
            self._names.move_to_end(key)
            return name
        if key in self._seen:
            return self._prepare(key)
        if len(self._seen) >= STATEMENTS_SEEN_MAX:
            self._seen.clear()
        self._seen.add(key)
        return None

    def _prepare(self, key: StatementKey) -> bytes:
        sql, types = key
        self._count += 1
        name = b"tertulia_%d" % self._count
        check_result(self._pgconn, self._pgconn.prepare(name, sql, types))
        self._names[key] = name
        if len(self._names) > PREPARED_STATEMENTS_MAX:
            _, oldest = self._names.popitem(last=False)
            self._pgconn.exec_(b"DEALLOCATE " + oldest)
        return name
