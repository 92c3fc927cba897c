"""Looking up texts that can be found: the cost does not grow with all the texts that there are."""

from tests.query_plans import plan_of

from tertulia.retrieval.sources import filter_visible_sources


def test_whether_texts_may_be_seen_is_looked_up_in_an_index() -> None:
    steps = plan_of(lambda tx: filter_visible_sources(tx, ["fil_1", "msg_1"]))
    assert any(step.endswith("(kind=? AND source_id=?)") for step in steps)
    assert not any(step.startswith("SCAN s") for step in steps)
