"""Statements as PostgreSQL takes them."""

import pytest

from tertulia.infra.db import bound_list, bound_rows, stored_list
from tertulia.infra.db.postgres.dialect import to_postgres
from tertulia.infra.db.row_locks import FOR_SHARE, SKIP_LOCKED


def test_values_are_numbered_in_the_order_of_their_names() -> None:
    statement = to_postgres("SELECT :b, :a, :b FROM files")
    assert statement.sql == b"SELECT $1, $2, $1 FROM files"
    assert statement.bind({"a": 1, "b": 2, "c": 3}) == [2, 1]


@pytest.mark.parametrize(
    "text", ["'a :b c'", "'it''s :b'", '"a :b"', "CAST(x::text AS TEXT)", "1 /* not :b */", "1 -- not :b"]
)
def test_what_only_looks_like_a_value_is_left_alone(text: str) -> None:
    assert to_postgres(f"SELECT {text}").sql.decode() == f"SELECT {text}"


def test_a_list_of_texts_is_read_from_json() -> None:
    assert to_postgres(f"SELECT * FROM {bound_list('ids')} AS b").sql.decode() == (
        "SELECT * FROM (SELECT value AS value FROM json_array_elements_text(CAST($1 AS JSON))) AS b"
    )


def test_being_in_a_list_is_looked_up_value_by_value() -> None:
    numbers = to_postgres(f"SELECT 1 WHERE id IN {bound_list('ids', of='BIGINT')}").sql.decode()
    assert numbers == (
        "SELECT 1 WHERE id = ANY (ARRAY(SELECT CAST(value AS BIGINT) "
        "FROM json_array_elements_text(CAST($1 AS JSON))))"
    )
    assert "id <> ALL (ARRAY(SELECT value FROM" in to_postgres(f"id NOT IN {bound_list('ids')}").sql.decode()


def test_a_list_of_numbers_has_their_type() -> None:
    assert "SELECT CAST(value AS BIGINT) AS value" in to_postgres(bound_list("ids", of="BIGINT")).sql.decode()


def test_rows_have_their_columns_and_their_place() -> None:
    statement = to_postgres(f"SELECT * FROM {bound_rows('entries', 'topic', 'seq BIGINT')} AS e")
    assert statement.sql.decode() == (
        "SELECT * FROM (SELECT place - 1 AS position, value ->> 0 AS topic, "
        "CAST(value ->> 1 AS BIGINT) AS seq "
        "FROM json_array_elements(CAST($1 AS JSON)) WITH ORDINALITY AS given (value, place)) AS e"
    )


def test_a_stored_list_is_read_from_its_column() -> None:
    statement = to_postgres(f"SELECT 1 FROM {stored_list('s.tags')} AS t WHERE t.value = :tag")
    assert "json_array_elements_text(CAST(s.tags AS JSON))" in statement.sql.decode()


def test_a_value_that_is_null_is_written_out() -> None:
    statement = to_postgres(
        "SELECT 1 WHERE :media IS NULL OR media = :media AND id = :id", frozenset({"media"})
    )
    assert statement.sql == b"SELECT 1 WHERE NULL IS NULL OR media = NULL AND id = $1"
    assert statement.names == ("id",)


def test_locks_on_rows_are_given_to_the_server() -> None:
    assert to_postgres(f"SELECT 1 FROM jobs LIMIT 1 {SKIP_LOCKED}").sql.endswith(b"FOR UPDATE SKIP LOCKED")
    assert to_postgres(f"SELECT 1 FROM jobs {FOR_SHARE}").sql.endswith(b"FOR SHARE")


def test_a_statement_can_ask_not_to_be_prepared() -> None:
    assert not to_postgres("/* unprepared */ SELECT 1").may_prepare
    assert to_postgres("SELECT 1").may_prepare
