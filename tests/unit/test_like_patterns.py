"""Searches that ignore case find the same on both engines, in every script."""

import sys
import unicodedata
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.engines.postgres import create_database, drop_database

from tertulia.infra.db.like_patterns import escape_like, fold_case, like_folded
from tertulia.infra.db.sqlite.connection import open_connection

Execute = Callable[[str, dict[str, Any]], list[Any]]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Generator[dict[str, Execute]]:
    path: Path = tmp_path_factory.mktemp("like") / "tertulia.db"
    of_sqlite, url = open_connection(path, busy_seconds=1), create_database()
    with psycopg.connect(url) as of_postgres:

        def execute(sql: str, values: dict[str, Any]) -> list[Any]:
            for name in values:
                sql = sql.replace(f":{name}", f"%({name})s")
            return of_postgres.execute(sql.encode(), values).fetchall()

        yield {"sqlite": lambda sql, values: list(of_sqlite.execute(sql, values)), "postgres": execute}
    of_sqlite.close()
    drop_database(url)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    ("text", "search", "is_found"),
    [
        ("Über ÄRGER", "über ärger", True),
        ("ΟΔΟΣ", "οδος", True),
        ("οδος", "ΟΔΟΣ", True),
        ("İstanbul", "istanbul", True),
        ("istanbul", "İSTANBUL", True),
        ("100 %", "0_%", False),
        ("100 %", "00 %", True),
        ("a\\b", "A\\B", True),
        ("straße", "STRASSE", False),
    ],
)
def test_text_is_found_whatever_its_case(
    engines: dict[str, Execute], engine: str, text: str, search: str, is_found: bool
) -> None:
    found = like_folded("title", "wanted")
    sql = f"SELECT CASE WHEN {found} THEN 1 ELSE 0 END FROM (SELECT :given AS title) AS t"
    values = {"given": text, "wanted": f"%{escape_like(fold_case(search))}%"}
    assert [tuple(row) for row in engines[engine](sql, values)] == [(int(is_found),)]


def test_both_engines_write_every_letter_small_as_we_do(engines: dict[str, Execute]) -> None:
    letters = [
        chr(code) for code in range(1, sys.maxunicode) if unicodedata.category(chr(code)) not in ("Cn", "Cs")
    ]
    text = "\n".join(letters)
    for execute in engines.values():
        [(lowered,)] = execute("SELECT lower(CAST(:given AS TEXT))", {"given": text})
        assert [fold_case(letter) for letter in lowered.split("\n")] == [
            fold_case(letter) for letter in text.split("\n")
        ]
