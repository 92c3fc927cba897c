"""Which model a question gets: the cheapest that is good enough, and what says so."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.models.domain import FREE_PRICES, Ability, Model, Prices, Tier
from tertulia.routing.domain import RouteQuestion
from tertulia.routing.errors import NoModelFits
from tertulia.routing.model_choice import TIERS_BY_CAPABILITY, choose_model


def model(name: str, tier: Tier, price: float | None) -> Model:
    prices = None if price is None else Prices(price, price * 4)
    return Model(name, "openai", name, name.title(), 100_000, 4_000, tier, prices=prices)


SMART, FAST = model("large", Tier.SMART, 5.0), model("small", Tier.FAST, 0.1)
LOCAL = replace(model("mine", Tier.FAST, None), prices=FREE_PRICES, local=True)


def chosen(
    *models: Model, difficulty: float, preference: float = 0.5, question: RouteQuestion | None = None
) -> str:
    asked = replace(question or RouteQuestion("?"), preference=preference)
    return choose_model(asked, models, difficulty=difficulty, prompt_tokens=1_000).chosen.model.id


def test_an_easy_question_goes_to_the_small_model_and_a_difficult_one_to_the_large() -> None:
    assert chosen(SMART, FAST, difficulty=0.2) == "small"
    assert chosen(SMART, FAST, difficulty=0.8) == "large"


def test_a_preference_moves_the_border_and_its_ends_leave_no_choice() -> None:
    assert chosen(SMART, FAST, difficulty=0.4, preference=0.7) == "large"
    assert chosen(SMART, FAST, difficulty=0.6, preference=0.3) == "small"
    assert chosen(SMART, FAST, difficulty=0.0, preference=1.0) == "large"
    assert chosen(SMART, FAST, difficulty=1.0, preference=0.0) == "small"


def test_of_models_that_are_as_good_the_cheapest_answers_and_an_unknown_price_comes_last() -> None:
    dear, unknown = model("dear", Tier.FAST, 2.0), model("unknown", Tier.FAST, None)
    assert chosen(unknown, dear, FAST, LOCAL, difficulty=0.1) == "mine"
    choice = choose_model(RouteQuestion("?"), [unknown, dear, FAST], difficulty=0.1, prompt_tokens=1_000)
    assert [candidate.model.id for candidate in (choice.chosen, *choice.alternatives)] == [
        "small",
        "dear",
        "unknown",
    ]


def test_what_a_question_needs_is_never_given_up_for_a_price() -> None:
    seeing = replace(SMART, abilities=frozenset({Ability.VISION}))
    picture = RouteQuestion("What is this?", abilities=frozenset({Ability.VISION}))
    assert chosen(seeing, FAST, difficulty=0.0, question=picture) == "large"
    assert chosen(SMART, LOCAL, difficulty=1.0, question=RouteQuestion("?", local_only=True)) == "mine"
    roomy = replace(SMART, context_window=1_000_000)
    long = choose_model(RouteQuestion("?"), [roomy, FAST], difficulty=0.0, prompt_tokens=200_000)
    assert long.chosen.model.id == "large"
    assert list(long.alternatives) == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (RouteQuestion("?", local_only=True), "runs on this machine"),
        (RouteQuestion("?", abilities=frozenset({Ability.TOOLS})), "can use tools"),
    ],
)
def test_where_no_model_can_do_it_that_is_said(question: RouteQuestion, told: str) -> None:
    with pytest.raises(NoModelFits, match=told):
        choose_model(question, [SMART, FAST], difficulty=0.5, prompt_tokens=10)


def test_the_reason_says_how_difficult_it_looks_and_what_the_choice_saves() -> None:
    choice = choose_model(RouteQuestion("?"), [SMART, FAST], difficulty=0.1, prompt_tokens=1_000)
    assert choice.reason == (
        "The question looks easy (0.10): a fast model is enough. It costs about $0.0147 less than Large."
    )


@given(
    tiers=st.lists(st.sampled_from(TIERS_BY_CAPABILITY), min_size=1, max_size=6),
    difficulties=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    preferences=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_a_harder_question_or_a_greater_preference_never_gets_a_weaker_model(
    tiers: list[Tier], difficulties: tuple[float, float], preferences: tuple[float, float]
) -> None:
    models = [model(str(number), tier, 1.0 + number) for number, tier in enumerate(tiers)]
    capability = [
        TIERS_BY_CAPABILITY.index(models[int(chosen(*models, difficulty=difficulty, preference=liked))].tier)
        for difficulty, liked in zip(sorted(difficulties), sorted(preferences), strict=True)
    ]
    assert capability == sorted(capability)
