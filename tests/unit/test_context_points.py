"""Which points a prompt shows: those of worth while there is room, and what the question needs."""

from collections.abc import Sequence
from typing import Any

import pytest

from tertulia.context.domain import (
    PastReply,
    PastRound,
    PromptInputs,
    PromptSettings,
    RecalledPassage,
    RecallResult,
)
from tertulia.context.prompt_assembly import Prompt, assemble_prompt
from tertulia.context.prompt_plan import SectionKind
from tertulia.context.summary_points import first_of_each_series
from tertulia.conversations.domain import Passage, Policy, ReplyKind
from tertulia.memory.domain import Point, PointKind
from tertulia.models.domain import Model, Tier
from tertulia.projects.domain import Level

MODEL = Model(
    id="m",
    connection="openai",
    name="gpt-5",
    title="M",
    context_window=200_000,
    output_limit=4_000,
    tier=Tier.BALANCED,
    abilities=frozenset(),
)
FACTS = {
    "Where should the courier leave the crates?": "Crates go to the loading bay at 8 Foundry Lane.",
    "Does the menu suit me?": "I have a sesame allergy.",
    "What did I promise Yara?": "I will send Yara the tide tables by Monday.",
    "How high may the fence be?": "The fence must not be higher than 1.8 metres.",
}


def point(number: int, text: str, kind: PointKind = PointKind.ENTITY) -> Point:
    return Point(kind, text, [f"q{number}"], [number], ["user"])


def passing(number: int) -> Point:
    return point(number, f"Batch {number} gave {number * 3} loaves and {number} broken ones.")


def past(number: int, *, words: int = 20) -> PastRound:
    reply = PastReply("m", f"In round {number} I say {'so ' * words}.", id=f"a{number}")
    return PastRound(
        f"And what of day {number}?", (reply,), id=f"r{number}", number=number, question_id=f"q{number}"
    )


def assembled(
    question: str,
    *,
    limit: int | None,
    level: Level | None = None,
    words: int = 20,
    points: Sequence[Point] = (),
    **more: Any,
) -> Prompt:
    facts = [point(number, text) for number, text in enumerate(FACTS.values(), 1)]
    codes = [point(number, f"The code of shed {number} is {number * 317}.") for number in range(5, 40)]
    inputs = PromptInputs(
        lane="m",
        model="m",
        kind=ReplyKind.ANSWER,
        policy=Policy.EVERYONE,
        table=("m",),
        past=tuple(past(number, words=words) for number in range(388, 401)),
        now=PastRound(question, number=401, id="now", question_id="q401"),
        points=(*points, *facts, *codes, *map(passing, range(40, 380))),
        prompt_settings=PromptSettings(level=level, max_tokens=limit),
        **more,
    )
    return assemble_prompt(inputs, MODEL)


def shown(prompt: Prompt) -> str:
    return "\n".join(message.text for message in prompt.call.messages)


@pytest.mark.parametrize("limit", [4_000, 10_000, 64_000])
@pytest.mark.parametrize("question", FACTS)
def test_old_facts_are_shown_whatever_newer_figures_there_are(question: str, limit: int) -> None:
    prompt = assembled(question, limit=limit)
    assert all(fact in shown(prompt) for fact in FACTS.values())
    assert prompt.plan.tokens <= limit


@pytest.mark.parametrize("limit", [4_000, 10_000])
def test_a_question_brings_back_what_it_is_about(limit: int) -> None:
    assert "Batch 47 gave 141" in shown(assembled("How many loaves did batch 47 give?", limit=limit))
    assert "Batch 47 gave 141" not in shown(assembled("How tall is the mast?", limit=limit))


def test_a_question_is_about_a_few_readings_that_differ_in_figures_alone() -> None:
    readings, fact = [*map(passing, range(1, 10))], point(10, "I have a sesame allergy.")
    assert first_of_each_series([*readings, fact]) == [*readings[:3], fact]


def test_figures_in_passing_do_not_fill_a_large_window() -> None:
    prompt = assembled("How tall is the mast?", limit=None)
    [summary] = [section for section in prompt.plan.sections if section.kind is SectionKind.SUMMARY]
    assert summary.tokens < 6_500


@pytest.mark.parametrize(
    ("level", "tokens"), [(Level.LIGHT, 800), (Level.STANDARD, 1_500), (Level.FULL, 3_000)]
)
def test_a_level_is_near_its_tokens_and_keeps_names_and_promises(level: Level, tokens: int) -> None:
    prompt = assembled("What is next?", limit=None, level=level)
    assert 0.75 * tokens <= prompt.plan.tokens <= 1.1 * tokens
    assert all(fact in shown(prompt) for fact in FACTS.values())


@pytest.mark.parametrize("level", Level)
def test_long_rounds_do_not_push_names_and_promises_out_of_a_level(level: Level) -> None:
    prompt = assembled("What is next?", limit=None, level=level, words=400)
    assert all(fact in shown(prompt) for fact in FACTS.values())


CHANGES = {
    "Ottilie plays the organ.": "Matti sits down at the keys, for Ottilie has gone to Bergen.",
    "The bulletin comes out weekly.": "a fortnightly bulletin will do, says the vicar",
}


@pytest.mark.parametrize("level", [None, *Level])
@pytest.mark.parametrize("question", ["Who plays the organ?", "Does it come out weekly?", "What is next?"])
def test_a_statement_comes_with_what_was_said_later_on_the_same_matter(
    question: str, level: Level | None
) -> None:
    points = [point(number, text) for number, text in enumerate([*CHANGES, *CHANGES.values()], 1)]
    prompt = assembled(question, limit=1_000 if level is None else None, level=level, points=points)
    assert [said for said in CHANGES if said in shown(prompt) and CHANGES[said] not in shown(prompt)] == []


def test_a_passage_tells_what_was_said_later_on_the_same_matter() -> None:
    passage = Passage(0, "message", "q1", None, 0, 24, 9, round_number=1, speaker="user")
    found = (RecalledPassage(passage, "Ottilie plays the organ.", is_here=True),)
    points = [
        point(1, "Ottilie plays the organ."),
        point(2, "Ottilie has gone, Matti sits down at the keys."),
    ]
    prompt = assembled("Who plays?", limit=4_000, points=points, memory=RecallResult(found=found))
    passages = shown(prompt).partition("<passages>")[2]
    assert "[Later, in round 2: Ottilie has gone, Matti sits down at the keys.]" in passages


def test_what_stands_beside_a_found_point_is_not_shown_for_it() -> None:
    memory = RecallResult(
        found_points=("The code of shed 7 is 2219.\nBatch 47 gave 141 loaves and 47 broken ones.",)
    )
    prompt = assembled("How do I get at the rakes?", limit=2_000, memory=memory)
    assert "The code of shed 7 is 2219." in shown(prompt)
    assert "Batch 47 gave 141" not in shown(prompt)


def test_short_room_is_shared_between_rounds_and_points() -> None:
    prompt = assembled("What is next?", limit=3_000, words=150)
    tokens = {section.kind: section.tokens for section in prompt.plan.sections}
    assert tokens[SectionKind.ROUNDS] > 1_000
    assert 500 < tokens[SectionKind.SUMMARY] < 1_300


def test_a_summary_says_how_many_points_it_left_out() -> None:
    prompt = assembled("What is next?", limit=4_000)
    assert any("points of the summary" in left.item.title for left in prompt.plan.left_out)
