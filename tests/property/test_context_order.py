"""The same inputs give the same bytes, in the same order, and begin as the turn before did."""

from dataclasses import replace
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.prompt_cases import Case, cases, fillers, marks_in, some

from tertulia.context.domain import PastReply, PastRound
from tertulia.context.prompt_depth import depth_for
from tertulia.context.prompt_plan import Item, PromptPlan, SectionKind
from tertulia.conversations.domain import ReplyKind
from tertulia.models.calls import Call, PromptMessage
from tertulia.models.providers import Endpoint, anthropic_prompt, gemini_prompt, openai_prompt

HERE = Endpoint("local", "custom", "http://127.0.0.1:8000/v1")
ANTHROPIC = Endpoint("anthropic", "anthropic", "https://api.anthropic.com", "k")
GOOGLE = Endpoint("google", "google", "https://generativelanguage.googleapis.com", "k")


def stable_part(call: Call) -> list[PromptMessage]:
    """Return the messages that will mostly be the same next time."""
    ends = [place for place, said in enumerate(call.messages) if said.ends_stable]
    return [replace(said, ends_stable=False) for said in call.messages[: ends[0] + 1]] if ends else []


@some
@given(cases())
def test_the_same_inputs_give_the_same_prompt(case: Case) -> None:
    if (prompt := case.prompt()) is not None:
        assert case.prompt() == prompt


@some
@given(cases())
def test_two_prompts_have_the_same_hash_exactly_when_they_are_the_same(case: Case) -> None:
    other = case.but(now=replace(case.inputs.now, question=case.inputs.now.question + "!"))
    first, second = case.prompt(), other.prompt()
    if first is not None and second is not None:
        assert first.plan.hash != second.plan.hash
        again = case.prompt()
        assert again is not None
        assert again.plan.hash == first.plan.hash


@some
@given(cases())
def test_sections_stand_in_their_order(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    kinds = [section.kind for section in prompt.plan.sections]
    assert kinds == [kind for kind in SectionKind if kind in kinds]
    assert all(section.items for section in prompt.plan.sections)
    assert {SectionKind.SYSTEM, SectionKind.QUESTION} <= set(kinds)


@some
@given(cases(kinds=(ReplyKind.ANSWER,)))
def test_messages_stand_in_the_order_of_the_sections(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    said = [id_ for message in prompt.call.messages for id_ in marks_in(message.text)]
    pinned = {item.id.removeprefix("message:") for item in items(prompt.plan, SectionKind.PINNED)}
    always = {item.id.split(":")[1] for item in items(prompt.plan, SectionKind.FILES)}
    places = [place_of(id_, case, pinned=pinned, always=always) for id_ in said]
    assert [place for place, _ in groupby(places)] == sorted(set(places))
    rounds = [int(id_[1:].partition("-")[0]) for id_, place in zip(said, places, strict=True) if place == 3]
    assert rounds == sorted(rounds)


def items(plan: PromptPlan, kind: SectionKind) -> list[Item]:
    return [item for section in plan.sections if section.kind is kind for item in section.items]


def place_of(id_: str, case: Case, *, pinned: set[str], always: set[str]) -> int:
    """Return the section that something with this mark must stand in, counted from the first."""
    source, at, _ = id_.partition("@")
    if id_ in (case.inputs.now.question_id, case.inputs.begun_id):
        return 6
    if id_ == "t0":
        return 5
    if at:
        return 0 if source in always and id_.endswith("@0") else 4
    if id_ in pinned:
        return 1
    return 2 if id_.startswith("k") else 3


@some
@given(cases(), st.sampled_from(["Where?", "And what if we did all of it again, only slower? " * 9]))
def test_with_another_question_all_that_is_stable_stays(case: Case, question: str) -> None:
    case = case.roomy()
    other = case.but(now=replace(case.inputs.now, question=question, question_id="another"))
    first, second = case.prompt(), other.prompt()
    if first is not None and second is not None:
        assert first.call.system == second.call.system
        assert stable_part(first.call) == stable_part(second.call)


@some
@given(cases())
def test_where_room_is_short_another_question_as_long_changes_nothing_before_it(case: Case) -> None:
    case = case.but(now=replace(case.inputs.now, question="Well, when?"))
    first = case.prompt()
    second = case.but(now=replace(case.inputs.now, question="Well, where?")).prompt()
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.plan.tokens == second.plan.tokens
        assert first.call.system == second.call.system
        assert stable_part(first.call) == stable_part(second.call)


@some
@given(cases(), fillers)
def test_one_more_round_is_added_at_the_end(case: Case, filler: str) -> None:
    case = case.roomy()
    depth = depth_for(case.model.tier, case.inputs.prompt_settings, can_read=case.inputs.can_read)
    before = case.prompt()
    moved = 0
    for _ in range(2 * depth.rounds_dropped_at_once):
        case = with_one_more(case, filler)
        after = case.prompt()
        if before is None or after is None:
            return
        old, new = stable_part(before.call), stable_part(after.call)
        moved += new[: len(old)] != old
        assert after.call.system == before.call.system
        before = after
    assert moved <= 2


def with_one_more(case: Case, filler: str) -> Case:
    """Return the case one round later."""
    now = case.inputs.now
    answer = PastReply(case.inputs.lane, f"So be it. {filler}", id=f"later{now.number}")
    said = replace(now, replies=(answer,), local_only=False)
    later = PastRound("And then?", id=f"rd{now.number + 1}", number=now.number + 1, question_id="then")
    return case.but(past=(*case.inputs.past, said), now=later)


@some
@given(cases())
def test_one_mark_says_where_the_stable_part_ends(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    kinds = {section.kind for section in prompt.plan.sections}
    stable = {SectionKind.FILES, SectionKind.PINNED, SectionKind.SUMMARY, SectionKind.ROUNDS}
    assert sum(said.ends_stable for said in prompt.call.messages) == bool(kinds & stable)


@some
@given(cases())
def test_on_every_wire_roles_alternate_from_the_person_to_the_person(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    call = replace(prompt.call, tools=())
    bodies = [
        openai_prompt.body_of(call, HERE)["messages"][1:],
        anthropic_prompt.body_of(call, ANTHROPIC)["messages"],
        gemini_prompt.body_of(call, GOOGLE)["contents"],
    ]
    for messages in bodies:
        roles = [message["role"] for message in messages]
        assert roles[0] == roles[-1] == "user"
        assert all(before != after for before, after in pairwise(roles))


@some
@given(cases())
def test_ones_own_answers_are_the_only_assistants_words(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    spoken = "\n".join(said.text for said in prompt.call.messages if said.role == "assistant")
    own = {id_ for id_ in marks_in(spoken) if id_.endswith(f"-{case.inputs.lane}")}
    assert set(marks_in(spoken)) - own <= {case.inputs.begun_id}
    assert case.inputs.begun in spoken
