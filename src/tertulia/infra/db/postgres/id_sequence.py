"""Going on where the processes before left off: what is made now comes after all that is there."""

import psycopg
from psycopg import sql

from tertulia.core import ids
from tertulia.infra.db.statements import Row

#: Ids, and what is made from the same sequence: the places of rows that move in their list.
ID_COLUMNS_SQL = """SELECT c.table_name, c.column_name FROM information_schema.columns AS c
    JOIN information_schema.tables AS t USING (table_schema, table_name)
    WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.data_type = 'text'
    AND (c.column_name LIKE '%sort_key' OR c.column_name = 'id')"""


def resume_id_sequence(connection: psycopg.Connection[Row]) -> None:
    """Let new ids and moments come after those in the database, even if the clock has been set back."""
    columns = connection.execute(ID_COLUMNS_SQL).fetchall()
    if not columns:
        return
    newest = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT max({}) FROM {}").format(sql.Identifier(column), sql.Identifier(table))
        for table, column in columns
    )
    for (last,) in connection.execute(newest):
        ids.resume_after(ids.ulid_of(str(last)))
