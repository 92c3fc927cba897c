"""Which hits have to do with a question, with meanings and without."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tertulia.context.recalled_hits import is_relevant
from tertulia.retrieval.signals import Signals


def hit(**signals: Any) -> Any:
    return cast("Any", SimpleNamespace(signals=Signals(**signals)))


@pytest.mark.parametrize("lexical", [0.4, 1.0])
def test_where_meanings_are_not_known_fewer_words_are_enough(lexical: float) -> None:
    assert is_relevant(hit(lexical=lexical, coverage=0.3))
    assert not is_relevant(hit(lexical=lexical, coverage=0.3, alike=0.1))
    assert not is_relevant(hit(lexical=lexical, coverage=0.1))


def test_something_is_always_the_nearest_and_that_is_not_enough() -> None:
    assert is_relevant(hit(alike=0.4))
    assert is_relevant(hit(alike=0.1, coverage=0.6))
    assert is_relevant(hit(alike=0.1, names=1.0))
    assert not is_relevant(hit(alike=0.2, dense=1.0))
