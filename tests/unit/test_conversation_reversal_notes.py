"""What is quoted is held against the later words that may take it back, and against no others."""

from datetime import UTC, datetime
from itertools import product

from tests.unit.test_conversation_reversals import TAKEN_BACK

from tertulia.conversations.reversal_index import ReversalIndex
from tertulia.conversations.reversal_notes import Quotation, find_matching
from tertulia.conversations.reversal_sentences import is_taken_back
from tertulia.conversations.reversals import Reversal

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def reversal(number: int, text: str) -> Reversal:
    return Reversal(f"msg_{number}", "cnv_1", f"rnd_{number}", number, text, MOMENT)


def quotation(text: str) -> Quotation:
    return Quotation(text, "msg_0", "cnv_1", 0, MOMENT)


def test_every_sentence_finds_all_that_may_take_it_back() -> None:
    later = [text for _, text in TAKEN_BACK]
    index = ReversalIndex.of([reversal(*one) for one in enumerate(later, start=1)])
    for (statement, _), (place, text) in product(TAKEN_BACK, enumerate(later)):
        assert place in index.find_near(statement) or not is_taken_back(statement, text)


def test_a_sentence_is_not_held_against_what_it_shares_no_word_with() -> None:
    index = ReversalIndex.of([reversal(1, "Drop Kafka, plain tables will do."), reversal(2, "Lunch is off.")])
    assert set(index.find_near("The gate code of the marina is 7741.")) == set()
    assert set(index.find_near("We go with Kafka for the queue.")) == {0}


def test_what_took_something_back_can_be_taken_back_in_turn() -> None:
    said = [
        reversal(1, "Scrap Cassandra, the archive stays in DuckDB."),
        reversal(2, "Lunch is off."),
        reversal(3, "Forget DuckDB, everything goes to Parquet."),
    ]
    taken = find_matching(quotation("We go with Cassandra."), ReversalIndex.of(said))
    assert [one.round_number for one in taken] == [1, 3]
