"""The screen for reversals lets every sentence pass in which one of the cues is found."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations.reversal_cues import REVERSAL_CUES, may_have_reversal

AROUND = st.sampled_from(["", "Hello. ", "We go to Turku, ", "(well) ", "12 "])
#: Each is the letter that follows it where case is ignored.
ALIKE_LETTERS = st.sampled_from(["\u0131i", "\u0130i", "\u017fs", "\u212ak"])


@pytest.mark.parametrize("cue", REVERSAL_CUES, ids=lambda cue: cue.pattern[:40])
@given(data=st.data())
def test_whatever_has_a_cue_passes_the_screen(cue: re.Pattern[str], data: st.DataObject) -> None:
    found = data.draw(st.from_regex(cue))
    assert may_have_reversal(found)
    for text in (data.draw(AROUND) + found, found + data.draw(AROUND)):
        if cue.search(text):
            assert may_have_reversal(text)


@pytest.mark.parametrize("cue", REVERSAL_CUES, ids=lambda cue: cue.pattern[:40])
@given(data=st.data())
def test_letters_that_equal_others_pass_too(cue: re.Pattern[str], data: st.DataObject) -> None:
    written, letter = data.draw(ALIKE_LETTERS)
    text = data.draw(st.from_regex(cue)).replace(letter, written)
    if cue.search(text):
        assert may_have_reversal(text)
