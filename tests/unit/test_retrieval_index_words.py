"""Words and questions: what is read from a query, and that any text is one."""

from datetime import UTC, datetime, timedelta

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.retrieval import query_identifiers
from tertulia.retrieval.index_words import (
    INDEX_WORD_MAX_CHARS,
    content_words,
    list_name_parts,
    split_camel_case,
)
from tertulia.retrieval.query_identifiers import find_identifiers, looks_like_code
from tertulia.retrieval.query_parser import parse_query, parse_time_span
from tertulia.retrieval.sqlite.fts5 import fts_phrase, match_expression
from tertulia.retrieval.word_frequencies import SelectedTerms

TODAY = datetime(2026, 5, 20, 12, tzinfo=UTC)
#: Text with what the full-text language gives a meaning to.
hostile = st.text(max_size=80) | st.lists(
    st.sampled_from(
        [
            "AND",
            "OR",
            "NOT",
            "NEAR(",
            '"',
            "'",
            "*",
            "^",
            ":",
            "-",
            "(",
            ")",
            "{",
            "}",
            "+",
            "content",
            "place",
        ]
    )
    | st.text(max_size=6),
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseHTTPResponse", ["parse", "HTTP", "Response"]),
        ("camelCase", ["camel", "Case"]),
        ("utf8", ["utf", "8"]),
        ("plain", ["plain"]),
        ("HTTP", ["HTTP"]),
    ],
)
def test_camel_case_is_cut_where_a_reader_would_cut_it(word: str, parts: list[str]) -> None:
    assert split_camel_case(word) == parts


def test_the_parts_of_names_are_indexed_each_once_and_plain_words_are_not() -> None:
    assert list_name_parts("getUserName calls getUserId in user_table of the database") == [
        "get", "user", "name", "id",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("where is parse_config used", "parse_config"),
        ("where is parseConfig used", "parseConfig"),
        ("what does config.load do", "config.load"),
        ("what does std::vector do", "std::vector"),
        ("what is in src/app/main.py", "src/app/main.py"),
        ("what calls load() at start", "load"),
        ("what is `retries` for", "retries"),
    ],
)
def test_an_identifier_in_a_query_is_known_as_one(query: str, name: str) -> None:
    assert name in find_identifiers(query)


@pytest.mark.parametrize("word", ["Hello", "USA", "e.g", "and/or", "well-known", "I"])
def test_a_word_of_prose_is_no_identifier(word: str) -> None:
    assert not looks_like_code(word)


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert content_words("What is the colour of the tower?") == ["colour", "tower"]
    assert content_words("what is it") == ["what", "is", "it"]


@given(hostile)
@example("\x00")
@example("🦜 naïve “quoted” ﷽")
@example("x" * 20_000)
@example('" OR place : (oall) OR "')
@example("December 9999")
@example("9999-12-31")
@example("0000-01")
def test_any_text_is_a_query_and_is_looked_up_without_an_error(text: str) -> None:
    question = parse_query(text, today=TODAY)

    asked = match_expression(SelectedTerms((*question.names, *question.words[:32])))
    if question.words:
        index().execute("SELECT rowid FROM w WHERE w MATCH ?", (f"{{content keys}} : ({asked})",)).fetchall()
    assert all(0 < len(word) <= INDEX_WORD_MAX_CHARS for word in question.words)
    assert len(question.words) == len(set(question.words))


@given(st.text(max_size=60))
def test_a_phrase_has_nothing_in_it_but_words(text: str) -> None:
    inside = fts_phrase(text)[1:-1]
    assert '"' not in inside
    assert all(letter == " " or letter.isalnum() for letter in inside)


@given(hostile)
def test_a_question_is_read_the_same_each_time_and_whatever_its_spaces(text: str) -> None:
    once = parse_query(text, today=TODAY)
    assert parse_query(text, today=TODAY) == once
    assert parse_query(f"  {text}  ", today=TODAY).words == once.words


def index() -> apsw.Connection:
    """Return an index of words like ours."""
    if not made:
        made.append(apsw.Connection(":memory:"))
        made[0].execute(
            """CREATE VIRTUAL TABLE w USING fts5 (content, keys, place, content = '',
               contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')"""
        )
        made[0].execute("INSERT INTO w (rowid, content, keys, place) VALUES (1, 'hello there', '', 'oall')")
    return made[0]


made: list[apsw.Connection] = []


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what did we say on 2026-03-14", (2026, 3, 14), (2026, 3, 15)),
        ("notes of 2026-03", (2026, 3, 1), (2026, 4, 1)),
        ("the plan of December 2024", (2024, 12, 1), (2025, 1, 1)),
        ("the plan of February", (2026, 2, 1), (2026, 3, 1)),
        ("the plan of November", (2025, 11, 1), (2025, 12, 1)),
        ("what happened in 2021", (2021, 1, 1), (2022, 1, 1)),
        ("the clean-up on 19 May", (2026, 5, 19), (2026, 5, 20)),
        ("the night to the 26th of February", (2026, 2, 26), (2026, 2, 27)),
        ("the plan of March 3, 2024", (2024, 3, 3), (2024, 3, 4)),
        ("the plan of 31 June", (2025, 6, 1), (2025, 7, 1)),
    ],
)
def test_a_date_in_a_query_is_a_stretch_of_time(
    text: str, start: tuple[int, ...], end: tuple[int, ...]
) -> None:
    between = (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))
    assert parse_time_span(text, today=TODAY) == between


@pytest.mark.parametrize("text", ["may I ask", "we march on", "2026-13-40", "version 2021", "9999-99"])
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert parse_time_span(text, today=TODAY) is None


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99))
def test_any_digits_name_a_stretch_of_time_or_none(year: int, month: int, day: int) -> None:
    for text in (f"{year:04}-{month:02}-{day:02}", f"{year:04}-{month:02}", f"December {year:04}"):
        between = parse_time_span(text, today=TODAY)
        assert between is None or between[0] < between[1]


def test_yesterday_lies_behind_us() -> None:
    between = parse_time_span("what did we decide yesterday", today=TODAY)
    assert between == (TODAY - timedelta(days=2), TODAY)


@pytest.mark.parametrize(
    ("text", "code", "talk", "newest", "mine"),
    [
        ("where is parse_config defined", 1.0, 0.0, 0, False),
        ("which function reads the file", 1.0, 0.0, 0, False),
        ("what does the function return", 0.5, 0.0, 0, False),
        ("what did we decide about colours", 0.0, 1.0, 0, False),
        ("what is the latest plan", 0.0, 0.0, 1, False),
        ("what was the plan originally", 0.0, 0.0, -1, False),
        ("what did I want for dinner", 0.0, 1.0, 0, True),
        ("height of the tower", 0.0, 0.0, 0, False),
    ],
)
def test_a_query_tells_whether_code_or_talk_is_meant(
    text: str, code: float, talk: float, newest: int, mine: bool
) -> None:
    read = parse_query(text, today=TODAY)
    assert (read.code, read.talk, read.newest, read.mine) == (code, talk, newest, mine)


def test_a_word_that_a_query_repeats_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def note(name: str) -> bool:
        looked_at.append(name)
        return looks_like_code(name)

    monkeypatch.setattr(query_identifiers, "looks_like_code", note)
    assert find_identifiers("what does openLamp do " * 500) == ["openLamp"]
    assert looked_at == ["what", "does", "openLamp", "do"]
