"""Where the words of a query stand in a text, and which of them say what it is about."""

from datetime import UTC, datetime

import pytest

from tertulia.retrieval.query_parser import ParsedQuery, parse_query
from tertulia.retrieval.query_words import QueryWords, is_telling

TODAY = datetime(2026, 5, 20, 12, tzinfo=UTC)


def asked(text: str) -> ParsedQuery:
    return parse_query(text, today=TODAY)


def found(query: str, text: str) -> set[str]:
    return {word for word in QueryWords.of(asked(query)).match_in(text) if word}


@pytest.mark.parametrize(
    ("query", "text", "is_found"),
    [
        ("e", "every evening", False),
        ("pa", "parts of a page", False),
        ("nu", "numbers", False),
        ("con", "contains a concert", False),
        ("pa", "the PA system", True),
        ("key", "two keys", True),
        ("key", "the keyboard", False),
        ("key", "monkey, donkey, turkey, hockey, jockey, whiskey, mickey, smokey: the key", True),
        ("key", "getKey(row)", True),
        ("token", "tokens", True),
        ("cafe", "The café opens", True),
        ("café", "The cafe opens", True),
        ("cafe\u0301", "The caf\u00e9 opens", True),
        ("caf\u00e9", "The cafe\u0301 opens", True),
        ("会議", "会議は第二金曜日に始まります", True),
        ("田中さん", "管理人の田中さんが持っています", True),
        ("钥匙在哪里", "工具房的钥匙挂在门后", True),
        ("番茄", "工具房的钥匙挂在门后", False),
    ],
)
def test_short_words_stand_whole_and_others_with_an_ending(query: str, text: str, is_found: bool) -> None:
    assert bool(found(query, text)) is is_found


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("xqzvbn March 2026", ("xqzvbn",)),
        ("glarfnok last year", ("glarfnok",)),
        ("plomfrit 2026-03", ("plomfrit",)),
        ("did I xqzvbn", ("xqzvbn",)),
        ("latest wulabo", ("wulabo",)),
        ("12 August 2026", ()),
        ("what did I ask yesterday", ()),
        ("the driver's parking place", ("driver", "parking", "place")),
        ("march to the harbour", ("march", "harbour")),
        ("when does getUserName return", ("getUserName", "return")),
    ],
)
def test_the_topic_is_without_when_by_whom_and_in_which_order(query: str, topic: tuple[str, ...]) -> None:
    assert asked(query).topic == topic


@pytest.mark.parametrize(
    ("word", "expected"),
    [("avain", True), ("key", False), ("1894", True), ("42", False), ("钥匙", True), ("ます", False)],
)
def test_a_short_word_may_stand_anywhere_by_chance(word: str, expected: bool) -> None:
    assert is_telling(word) is expected


def test_scripts_without_spaces_are_looked_for_by_pairs_of_letters() -> None:
    assert asked("鍵は誰").words == ("鍵は", "は誰")
    assert asked("Tertuliaの検索").words == ("tertulia", "の検", "検索")
    assert asked("鍵").words == ("鍵",)
