"""What somebody says of themselves, nobody else revises."""

import pytest

from tertulia.conversations.first_person import is_own_matter


@pytest.mark.parametrize(
    "statement",
    [
        "I take my coffee black.",
        "I'm allergic to latex gloves.",
        "i\u2019m in room 12",
        "Call me Otto.",
        "The user is allergic to latex.",
        "Mein Zimmer hat die Nummer 12.",
        "Ich nehme den Zug um neun.",
        "Mi habitación es la 12.",
        "Ma chambre est la 12.",
        "J\u2019habite à Lyon.",
        "我的房间是12号。",
    ],
)
def test_a_statement_in_the_first_person_is_its_authors(statement: str) -> None:
    assert is_own_matter(statement)
    assert is_own_matter(statement, "Scrap that room, it is another one.")


@pytest.mark.parametrize(
    "statement",
    [
        "The ferry leaves at 9:40.",
        "We go with Cassandra.",
        "The I/O limit is 5 per I.R.S. form.",
        "The EU office opens Mon 14 March.",
        "Minutes are kept.",
        "Some.",
    ],
)
def test_other_statements_are_everybodys(statement: str) -> None:
    assert not is_own_matter(statement)


def test_what_is_ours_others_take_back_by_naming_it() -> None:
    statement = "Our archive lives in Cassandra."
    assert is_own_matter(statement, "Actually our archive is small now.")
    assert not is_own_matter(statement, "Scrap Cassandra, the archive stays in DuckDB.")
