"""Which texts say the same in other words, and which only sound alike."""

import pytest

from tertulia.context.passage_wording import PassageWording

DELIVERY = "We deliver the parcels to the north dock on Mondays."


@pytest.mark.parametrize(
    "text",
    [
        DELIVERY,
        "Noted: we deliver the parcels to the north dock on Mondays. Anything else?",
        "So on Mondays we deliver the parcels to the north dock, as you say.",
        "The parcels: north dock.",
    ],
)
def test_what_says_the_same_repeats(text: str) -> None:
    assert PassageWording.of(text).repeats(PassageWording.of(DELIVERY))


@pytest.mark.parametrize(
    "text",
    [
        "We deliver the parcels to the south dock on Mondays.",
        "We do not deliver the parcels to the north dock on Mondays.",
        "We deliver the parcels to the north dock on Mondays, at 7.",
        "We deliver the parcels to the north dock on Mondays for Anna.",
        f"{DELIVERY} The driver rings twice, leaves them with the keeper, and takes the empty crates back.",
    ],
)
def test_what_has_a_fact_of_its_own_does_not(text: str) -> None:
    assert not PassageWording.of(text).repeats(PassageWording.of(DELIVERY))
