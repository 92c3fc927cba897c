"""Whatever replaces a statement can be looked up by a word that both have."""

from evals.memories.labelled_sets import read_pairs
from evals.memories.numbered_facts import build_facts
from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.memories.subjects import LOOKUP_WORDS_MAX, lookup_words, replaces

SAID = sorted(
    {text for half in ("tune", "heldout") for pair in read_pairs(half) for text in (pair.old, pair.new)}
    | {fact.text for fact in build_facts(seed=5, count=100)}
)
SCRAP_TEXT = (
    "I we my our The is no longer not live in moved from to Berlin Lyon favourite editor Vim capital of"
    " Norway , . don't like any more switched instead works at now answer English 4 May"
)
SCRAPS = st.sampled_from(SCRAP_TEXT.split())
STATEMENTS = (
    st.sampled_from(SAID) | st.lists(SCRAPS, min_size=1, max_size=12).map(" ".join) | st.text(max_size=40)
)


@given(STATEMENTS, STATEMENTS)
@example("I quit my job at Acme.", "I work for Acme as a designer.")
@example("My dog Rex died last week.", "I have a dog named Rex.")
def test_what_replaces_a_statement_shares_a_word_with_it(new: str, old: str) -> None:
    if replaces(new, old):
        assert lookup_words(new) & lookup_words(old)


@given(st.text() | STATEMENTS)
def test_a_statement_has_few_words_to_look_up_and_never_replaces_itself(text: str) -> None:
    assert len(lookup_words(text)) <= LOOKUP_WORDS_MAX
    assert not replaces(text, text)
