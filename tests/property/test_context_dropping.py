"""When room is short, the least telling goes first, nothing is cut in two, and nothing is said twice."""

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.prompt_cases import (
    Case,
    cases,
    marks_in,
    passage_of,
    section_ids,
    shown_in,
    some,
    told,
)

from tertulia.context.domain import EMPTY_RECALL, PastReply, PastRound, PromptSettings, RecalledPassage
from tertulia.context.prompt_assembly import Prompt
from tertulia.context.prompt_plan import Item, Pointer, SectionKind, WhyNot
from tertulia.conversations.domain import ReplyKind

#: Nobody asked for a reply without something.
NOTHING_ASKED: Any = {"leave_out": frozenset(), "asked_out": frozenset()}
ROOMY = PromptSettings(max_tokens=1_000_000)


@some
@given(cases())
def test_nothing_is_cut_in_the_middle(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    inputs, text, shown = case.inputs, told(prompt.call), shown_in(prompt)
    for past in (*inputs.past, inputs.now):
        assert past.question_id not in shown or past.question in text
        assert all(reply.id not in shown or reply.text in text for reply in past.replies)
    assert all(one.id not in shown or one.text in text for one in inputs.pinned)
    for number, point in enumerate(inputs.points):
        assert f"k{number}" not in shown or " ".join(point.text.split()) in text
    for one in (*inputs.memory.always, *inputs.memory.named, *inputs.memory.found):
        [id_] = marks_in(one.text)
        assert id_ not in shown or one.text in text or one.hint in text


@some
@given(cases())
def test_a_round_is_shown_with_all_that_may_be_shown_of_it_or_not_at_all(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    shown, rounds = shown_in(prompt), section_ids(prompt, SectionKind.ROUNDS)
    turned_away = {one.item.id for one in prompt.plan.left_out if one.section is SectionKind.ROUNDS}
    for past in case.inputs.past:
        if f"round:{past.id}" in rounds:
            wanted = {past.question_id, *(reply.id for reply in past.replies)}
            assert {id_ for id_ in wanted if f"message:{id_}" not in turned_away} <= shown


@some
@given(cases())
def test_passages_take_no_room_from_anything_else(case: Case) -> None:
    case = replace(case, shorter=False)
    without = case.but(memory=replace(case.inputs.memory, found=()))
    first, second = case.prompt(), without.prompt()
    assert (first is None) == (second is None)
    if first is None or second is None:
        return
    for kind in (SectionKind.FILES, SectionKind.PINNED, SectionKind.ROUNDS):
        assert section_ids(first, kind) == section_ids(second, kind)


@some
@given(cases())
def test_an_older_round_takes_no_room_from_a_newer_one(case: Case) -> None:
    assume(len(case.inputs.past) > 1)
    case = replace(case, shorter=False).but(pinned=(), points=())
    oldest = f"{case.inputs.past[0].id}"
    first, second = case.prompt(), case.but(past=case.inputs.past[1:]).prompt()
    if first is None or second is None:
        return
    shown = [id_ for id_ in section_ids(first, SectionKind.ROUNDS) if id_.partition(":")[2] != oldest]
    assert shown == section_ids(second, SectionKind.ROUNDS)


def with_equal_rounds(case: Case, number: int, words: int) -> Case:
    """Return the case with rounds of the same length, where nothing else is in the way."""
    past = tuple(
        PastRound(
            f"Question {one:02}: {'why ' * words}",
            (PastReply(case.inputs.lane, f"Answer {one:02}", id=f"r{one}"),),
            id=f"rd{one}",
            number=one,
            question_id=f"q{one}",
        )
        for one in range(1, number + 1)
    )
    now = PastRound("Well?", id="now", number=number + 1, question_id="now")
    return case.but(
        past=past,
        now=now,
        pinned=(),
        points=(),
        memory=EMPTY_RECALL,
        excluded=frozenset(),
        local_messages=frozenset(),
        **NOTHING_ASKED,
    )


@some
@given(cases(kinds=(ReplyKind.ANSWER,)), st.integers(1, 30), st.integers(0, 100))
def test_of_equal_rounds_the_newest_are_shown(case: Case, number: int, words: int) -> None:
    if (prompt := with_equal_rounds(case, number, words).prompt()) is None:
        return
    shown = [int(id_.removeprefix("round:rd")) for id_ in rounds_shown(prompt)]
    assert shown == list(range(number - len(shown) + 1, number + 1))


def rounds_shown(prompt: Prompt) -> list[str]:
    return [id_ for id_ in section_ids(prompt, SectionKind.ROUNDS) if id_.startswith("round:")]


@some
@given(cases(), st.integers(700, 4_000))
def test_no_passage_is_found_room_for_where_a_round_has_none(case: Case, limit: int) -> None:
    case = case.roomy()
    if (
        prompt := case.but(prompt_settings=replace(case.inputs.prompt_settings, max_tokens=limit)).prompt()
    ) is None:
        return
    named = {passage_id(one) for one in case.inputs.memory.named}
    found = [
        item.tokens
        for section in prompt.plan.sections
        if section.kind is SectionKind.PASSAGES
        for item in section.items
        if item.id not in named
    ]
    left = [one for one in prompt.plan.left_out if one.section is SectionKind.ROUNDS]
    without_room = [one.item for one in left if one.reason is WhyNot.NO_ROOM]
    if without_room and not section_ids(prompt, SectionKind.SUMMARY):
        newest = max(without_room, key=lambda item: item.pointer.round_number)
        assert sum(found) <= newest.tokens


@some
@given(cases(kinds=(ReplyKind.ANSWER,)), st.integers(0, 1_500))
def test_of_equal_passages_the_best_are_shown(case: Case, budget: int) -> None:
    found = tuple(passage_of(f"f{one}", 0, "clams " * 20, local_only=False) for one in range(10, 20))
    memory = replace(EMPTY_RECALL, found=found, budget=budget)
    case = case.but(memory=memory, can_read=False, leave_out=frozenset())
    if (prompt := case.prompt()) is None:
        return
    shown = [id_ for id_ in marks_in(told(prompt.call)) if id_.endswith("@0")]
    assert shown == [f"f{one}@0" for one in range(10, 10 + len(shown))]
    assert [passage.number for passage in prompt.passages] == list(range(1, len(shown) + 1))
    assert sum(case.counter.text(one.text) for one in found[: len(shown)]) <= budget


@some
@given(cases(kinds=(ReplyKind.ANSWER,)), st.integers(0, 300), st.integers(0, 300))
def test_a_passage_is_shown_already_only_where_all_of_it_is(case: Case, start: int, end: int) -> None:
    """A file that is always in context may be cut, and what was found may go on beyond."""
    assume(start < end)
    beginning = passage_of("f1", 0, "clams", local_only=False)
    found = passage_of("f1", 1, "whelks", local_only=False)
    found = replace(found, passage=replace(found.passage, start_char=start, end_char=end))
    memory = replace(EMPTY_RECALL, always=(beginning,), found=(found,))
    prompt = case.roomy().but(memory=memory, can_read=False, prompt_settings=ROOMY, **NOTHING_ASKED).prompt()
    if prompt is None:
        return
    reasons = [one.reason for one in prompt.plan.left_out if one.item.id == passage_id(found)]
    assert (WhyNot.SHOWN_ALREADY in reasons) == (end <= beginning.passage.end_char)


@some
@given(cases(kinds=(ReplyKind.ANSWER,)), st.integers(0, 200))
def test_a_share_that_is_used_up_is_not_called_want_of_room(case: Case, budget: int) -> None:
    found = tuple(passage_of(f"f{one}", 0, "clams " * 90, local_only=False) for one in range(10, 20))
    memory = replace(EMPTY_RECALL, found=found, budget=budget)
    prompt = case.roomy().but(memory=memory, can_read=False, prompt_settings=ROOMY, **NOTHING_ASKED).prompt()
    if prompt is None:
        return
    left = [one.reason for one in prompt.plan.left_out if one.section is SectionKind.PASSAGES]
    assert left
    assert set(left) == {WhyNot.SHARE}


@some
@given(cases())
def test_no_message_is_shown_twice(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    said = Counter(id_ for message in prompt.call.messages for id_ in marks_in(message.text))
    assert [id_ for id_, times in said.items() if times > 1] == []
    whole = {id_ for id_ in said if "@" not in id_}
    assert not any("@" in id_ and id_.partition("@")[0] in whole for id_ in said)


@some
@given(cases())
def test_no_point_is_shown_of_what_is_shown_itself(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    shown = shown_in(prompt)
    for number, point in enumerate(case.inputs.points):
        assert f"k{number}" not in shown or not shown.issuperset(point.sources)


@some
@given(cases())
def test_nothing_is_found_in_what_is_at_hand(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    asked = {passage_id(one) for one in case.inputs.memory.named}
    passages = section_pointers(prompt, SectionKind.PASSAGES)
    at_hand = [
        *section_pointers(prompt, SectionKind.FILES).values(),
        *(pointer for id_, pointer in passages.items() if id_ in asked),
    ]
    for id_, found in passages.items():
        if id_ not in asked:
            assert not any(is_within(found, file) for file in at_hand)


def section_pointers(prompt: Prompt, kind: SectionKind) -> dict[str, Pointer]:
    return {
        item.id: item.pointer
        for section in prompt.plan.sections
        if section.kind is kind
        for item in section.items
    }


def is_within(found: Pointer, file: Pointer) -> bool:
    is_same = found.file_id == file.file_id != ""
    return is_same and file.start_char <= found.start_char <= found.end_char <= file.end_char


@some
@given(cases())
def test_a_pinned_message_is_there_in_one_way_or_the_other_while_there_is_room(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    shown = shown_in(prompt)
    for one in case.inputs.pinned:
        left = [left for left in prompt.plan.left_out if left.item.id == f"message:{one.id}"]
        whole = [left for left in prompt.plan.left_out if left.item.id == f"round:{one.round_id}"]
        assert one.id in shown or left or (whole and whole[0].reason is not WhyNot.TOO_LONG)


@some
@given(cases())
def test_everything_is_accounted_for_once(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    plan, inputs = prompt.plan, case.inputs
    inside = [(section.kind, item.id) for section in plan.sections for item in section.items]
    outside = [(one.section, one.item.id) for one in plan.left_out]
    assert [one for one, times in Counter(inside + outside).items() if times > 1] == []
    known = set(inside + outside)
    for one in inputs.memory.always:
        assert (SectionKind.FILES, passage_id(one)) in known
    for one in (*inputs.memory.named, *inputs.memory.found):
        assert (SectionKind.PASSAGES, passage_id(one)) in known
    for one in inputs.pinned:
        in_round = any(one.id in item.pointer.message_ids for item in round_items(prompt))
        assert in_round or (SectionKind.PINNED, f"message:{one.id}") in known


def passage_id(one: RecalledPassage) -> str:
    passage = one.passage
    return f"passage:{passage.source_id}:{passage.start_char}-{passage.end_char}"


def round_items(prompt: Prompt) -> list[Item]:
    return [
        item
        for section in prompt.plan.sections
        if section.kind is SectionKind.ROUNDS
        for item in section.items
    ]


@some
@given(cases())
def test_every_earlier_round_is_shown_or_left_out_or_counted(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    left = {one.item.id for one in prompt.plan.left_out if one.item.id.startswith("round:")}
    earlier = [one.item.title for one in prompt.plan.left_out if one.item.id == "rounds:earlier"]
    counted = int(earlier[0].split()[0]) if earlier else 0
    assert len(rounds_shown(prompt)) + len(left) + counted == case.inputs.now.number - 1


@some
@given(cases())
def test_the_plan_says_which_points_are_shown(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    said = {id_ for id_ in shown_in(prompt) if id_.startswith("k")}
    pointers = [
        item.pointer
        for section in prompt.plan.sections
        if section.kind is SectionKind.SUMMARY
        for item in section.items
    ]
    assert said == {f"k{number}" for pointer in pointers for number in pointer.points}
