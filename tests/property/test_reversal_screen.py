"""The screen for reversals lets every sentence pass in which one of the cues is found."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations.reversal_cues import REVERSAL_CUES, REVERSAL_SCREEN

AROUND = st.sampled_from(["", "Hello. ", "We go to Turku, ", "(well) ", "12 "])


@pytest.mark.parametrize("cue", REVERSAL_CUES, ids=lambda cue: cue.pattern[:40])
@given(data=st.data())
def test_whatever_has_a_cue_passes_the_screen(cue: re.Pattern[str], data: st.DataObject) -> None:
    text = data.draw(AROUND) + data.draw(st.from_regex(cue, fullmatch=True)) + data.draw(AROUND)
    if cue.search(text):
        assert REVERSAL_SCREEN.search(text.lower())
