"""Going on where the processes before left off: what is made now comes after all that is there."""

import apsw

from tertulia.core import ids
from tertulia.infra.db.connection import storage_errors

TABLES_WITH_IDS = """SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND c.name = 'id' AND c.pk = 1 AND c.type = 'TEXT'"""


def go_on_from_newest(connection: apsw.Connection) -> None:
    """Let new ids and moments come after those in the database, even if the clock has been set back."""
    with storage_errors():
        tables = [str(name) for (name,) in connection.execute(TABLES_WITH_IDS)]
        for table in tables:
            [(newest,)] = connection.execute(f'SELECT max(id) FROM "{table}"')
            ids.go_on_from(str(newest))
