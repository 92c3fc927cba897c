"""Going on where the processes before left off: what is made now comes after all that is there."""

import apsw

from tertulia.core import ids
from tertulia.infra.db.sqlite.connection import translate_storage_errors

#: Ids, and what is made from the same sequence: the places of rows that move in their list.
ID_COLUMNS_SQL = """SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND c.type = 'TEXT'
    AND (c.name LIKE '%sort_key' OR (c.name = 'id' AND c.pk = 1))"""


def resume_id_sequence(connection: apsw.Connection) -> None:
    """Let new ids and moments come after those in the database, even if the clock has been set back."""
    with translate_storage_errors():
        for table, column in list(connection.execute(ID_COLUMNS_SQL)):
            [(newest,)] = connection.execute(f'SELECT max("{column}") FROM "{table}"')
            ids.resume_after(ids.ulid_of(str(newest)))
