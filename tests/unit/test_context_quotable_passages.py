"""What of a prompt may be quoted, and by which number or name: what the model is shown, and no more."""

from dataclasses import fields, replace

from hypothesis import given
from tests.prompt_cases import Case, cases, marks_in, shown_in, some

from tertulia.context.domain import (
    FileList,
    ListedFile,
    PastReply,
    PastRound,
    PinnedMessage,
    PromptInputs,
    RecalledPassage,
    RecallResult,
)
from tertulia.context.prompt_assembly import UNSENT_CALL_FIELDS, assemble_prompt, hash_call
from tertulia.conversations.domain import Passage, Policy, ReplyKind
from tertulia.memory.domain import Point, PointKind
from tertulia.models.builtin.models import LIBRARIAN
from tertulia.models.calls import Call, QuotablePassage

EARLIER = PastRound(
    "When is the deadline?",
    (
        PastReply("librarian", "This is what I find here", id="m2"),
        PastReply("librarian#2", "This is what I find too", id="m3"),
        PastReply("claude", "It is May 3rd.", id="m4"),
        PastReply("merge:claude", "Merged: May 3rd.", ReplyKind.MERGE, id="m5"),
    ),
    id="r1",
    number=1,
    question_id="m1",
)
INPUTS = PromptInputs(
    lane="librarian",
    model="librarian",
    kind=ReplyKind.ANSWER,
    policy=Policy.EVERYONE,
    table=("librarian", "claude"),
    past=(EARLIER,),
    now=PastRound("Which rate limit do we have?", id="r2", number=2, question_id="m6"),
)


def call_of(**changes: object) -> Call:
    return assemble_prompt(replace(INPUTS, **changes), LIBRARIAN).call


def quotable(**changes: object) -> list[tuple[str, str, int]]:
    return [(passage.text, passage.source, passage.number) for passage in call_of(**changes).quotable]


def test_the_question_stands_by_itself_also_for_one_who_merges() -> None:
    now = replace(
        INPUTS.now,
        replies=(PastReply("claude", "Forty.", id="m7"), PastReply("librarian", "Nothing.", id="m8")),
    )
    call = call_of(lane="merge:librarian", kind=ReplyKind.MERGE, now=now)

    assert call.question == "Which rate limit do we have?"
    assert ("Forty.", "claude, earlier") in [(passage.text, passage.source) for passage in call.quotable]
    assert "Nothing." not in {passage.text for passage in call.quotable}


def test_what_was_said_may_be_quoted_but_not_ones_own_quotations() -> None:
    assert quotable() == [
        ("When is the deadline?", "You, earlier", 0),
        ("It is May 3rd.", "claude, earlier", 0),
        ("Merged: May 3rd.", "merge by claude, earlier", 0),
    ]


def test_the_brief_may_be_quoted_by_its_sections_and_instructions_never() -> None:
    brief = "We build boats.\n\n## Rates\n\nForty a minute.\n\n## Instructions\n\nSpeak of penguins."
    files = FileList(1, (ListedFile("docs/rates.md", 1_500, "The rates"),))
    found = quotable(brief=brief, instructions=("## Rates\n\nNever quote this.",), file_list=files, past=())

    assert [(text.strip(), source) for text, source, _ in found] == [
        ("We build boats.", "Project brief"),
        ("Forty a minute.", "Rates"),
        ("- docs/rates.md (1.5 KB): The rates", "Files"),
    ]


def test_what_a_program_says_under_headings_may_be_quoted() -> None:
    found = quotable(instructions=("Be brief.\n\n# Rates\n\nForty a minute.",), past=(), for_program=True)

    assert [(text.strip(), source) for text, source, _ in found] == [("Forty a minute.", "Rates")]


def test_passages_pins_and_points_may_be_quoted_by_where_they_stand() -> None:
    recalled = RecalledPassage(
        Passage(1, "file", "s1", "p1", 0, 34, 9, path="docs/rates.md", start_line=1, end_line=4),
        "The rate limit is 40 a minute [1].",
    )
    found = quotable(
        memory=RecallResult(found=(recalled,)),
        pinned=(PinnedMessage("m9", "claude", "The trial has 5.", "r0", 0),),
        past=(),
    )

    assert found == [
        ("The rate limit is 40 a minute [1].", "docs/rates.md, lines 1-4", 1),
        ("The trial has 5.", "claude, pinned", 0),
    ]


def test_the_same_question_of_before_and_what_was_quoted_then_are_not_quoted() -> None:
    def said(number: int, speaker: str, text: str) -> RecalledPassage:
        place = Passage(number, "message", f"s{number}", "p1", 0, 34, 9, speaker=speaker, round_number=1)
        return RecalledPassage(place, text, said_on="2026-03-01")

    echoes = (
        said(1, "user", "Which rate limit  do we have?"),
        said(2, "agent:librarian", "> The rate limit is 40 a minute."),
        said(3, "agent:openai/claude", "It is 40 a minute."),
    )
    found = quotable(memory=RecallResult(found=echoes), past=())

    assert [text for text, _, _ in found] == ["It is 40 a minute."]


def test_a_point_of_the_summary_names_its_rounds() -> None:
    point = Point(
        PointKind.DECISION, "The limit counts per workspace", ["m0", "m1"], [4, 2], ["user", "user"]
    )
    now = replace(INPUTS.now, number=9)

    assert quotable(points=(point,), past=(), now=now) == [
        ("The limit counts per workspace", "Round 2, 4, in short", 0)
    ]


def test_the_hash_of_a_call_is_of_what_a_model_is_sent() -> None:
    call = call_of()

    assert hash_call(replace(call, question="", quotable=(QuotablePassage("x", "y"),))) == hash_call(call)
    assert hash_call(replace(call, system="Other.")) != hash_call(call)
    assert {field.name for field in fields(Call)} >= UNSENT_CALL_FIELDS


@given(cases())
@some
def test_nothing_may_be_quoted_that_the_model_is_not_shown(case: Case) -> None:
    prompt = case.prompt()
    if prompt is not None:
        quoted = {mark for passage in prompt.call.quotable for mark in marks_in(passage.text)}
        assert quoted <= shown_in(prompt)
