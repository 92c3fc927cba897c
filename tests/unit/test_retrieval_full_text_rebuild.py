"""A rebuilt index of words is the same kind of table as the first one."""

from pathlib import Path

import apsw

from tertulia.infra.db.sqlite.migration import migrate
from tertulia.retrieval.sqlite.fts5 import CREATE_FULL_TEXT_INDEX_SQL


def test_the_index_is_rebuilt_as_it_was_made(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "tertulia.db"))
    migrate(connection)
    made = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'chunk_words'").get
    assert made.split() == CREATE_FULL_TEXT_INDEX_SQL.split()
