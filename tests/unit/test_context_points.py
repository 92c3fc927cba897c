"""Which points a prompt shows: those of worth while there is room, and what the question needs."""

import pytest

from tertulia.context.domain import PastReply, PastRound, PromptInputs, PromptSettings
from tertulia.context.prompt_assembly import Prompt, assemble_prompt
from tertulia.context.prompt_plan import SectionKind
from tertulia.conversations.domain import Policy, ReplyKind
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


def assembled(question: str, *, limit: int | None, level: Level | None = None, words: int = 20) -> Prompt:
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
        points=(*facts, *codes, *map(passing, range(40, 380))),
        prompt_settings=PromptSettings(level=level, max_tokens=limit),
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


def test_short_room_is_shared_between_rounds_and_points() -> None:
    prompt = assembled("What is next?", limit=3_000, words=150)
    tokens = {section.kind: section.tokens for section in prompt.plan.sections}
    assert tokens[SectionKind.ROUNDS] > 1_000
    assert 500 < tokens[SectionKind.SUMMARY] < 1_300


def test_a_summary_says_how_many_points_it_left_out() -> None:
    prompt = assembled("What is next?", limit=4_000)
    assert any("points of the summary" in left.item.title for left in prompt.plan.left_out)
