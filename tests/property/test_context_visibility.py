"""Nothing reaches a model that it may not see, by any way: not another lane's, not what is to stay local."""

from dataclasses import replace

import pytest
from hypothesis import given
from tests.prompt_cases import (
    Case,
    cases,
    local_ids,
    section_ids,
    shown_in,
    some,
    sources_of,
    speaker_in,
    told,
)

from tertulia.context.domain import PromptInputs, RecalledPassage, RecallResult
from tertulia.context.prompt_assembly import assemble_prompt
from tertulia.context.prompt_plan import SectionKind, WhyNot
from tertulia.context.token_budget import QuestionTooLong
from tertulia.context.visibility import OnlyForLocalModels
from tertulia.conversations.domain import USER_SPEAKER, Policy, ReplyKind


def heard_from(case: Case) -> set[str]:
    """Return whose words reached a prompt, by all that is shown of messages."""
    prompt = case.prompt()
    shown = shown_in(prompt) if prompt else set()
    sources = {source for id_ in shown for source in sources_of(id_, case.inputs) if source[0] in "qrx"}
    return {USER_SPEAKER if "-" not in source else speaker_in(source) for source in sources}


@some
@given(cases(kinds=(ReplyKind.ANSWER,), policies=(Policy.OWN,)))
def test_under_own_only_the_person_and_the_lane_itself_are_heard(case: Case) -> None:
    # In another conversation there are other lanes: there, a model's own words are its own.
    here = case.but(memory=only_here(case.inputs))
    assert heard_from(here) <= {USER_SPEAKER, case.inputs.lane}
    assert heard_from(case) <= {USER_SPEAKER, case.inputs.lane, case.inputs.model}


def only_here(inputs: PromptInputs) -> RecallResult:
    """Return what was looked up, without what was said in other conversations."""
    found = tuple(one for one in inputs.memory.found if not one.passage.source_id.startswith("x"))
    return replace(inputs.memory, found=found)


@some
@given(cases(kinds=(ReplyKind.MERGE, ReplyKind.JUDGE), policies=(Policy.OWN,)))
def test_under_own_one_who_merges_hears_others_in_this_round_alone(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    now = case.inputs.now.message_ids
    shown = {id_ for id_ in shown_in(prompt) if id_[0] in "qr" and "@" not in id_ and id_ not in now}
    assert {speaker_in(id_) for id_ in shown} <= {USER_SPEAKER, case.inputs.lane}


@some
@given(cases(policies=(Policy.EVERYONE, Policy.CHOSEN)))
def test_under_the_other_policies_nothing_is_turned_away_for_its_lane(case: Case) -> None:
    if (prompt := case.prompt()) is not None:
        assert WhyNot.OTHER_LANE not in {one.reason for one in prompt.plan.left_out}


@some
@given(cases())
def test_a_model_elsewhere_gets_nothing_that_is_to_stay_local(case: Case) -> None:
    case = replace(case, model=replace(case.model, local=False))
    for one in (case, case.roomy(), with_old_marks(case), with_old_marks(case).roomy()):
        if (prompt := one.prompt()) is not None:
            local = local_ids(case.inputs)
            assert [id_ for id_ in shown_in(prompt) if sources_of(id_, case.inputs) & local] == []
            assert not prompt.plan.local_only


def with_old_marks(case: Case) -> Case:
    """Return the case as if all was looked up before somebody marked messages as local."""
    inputs = case.inputs

    def unmarked(one: RecalledPassage) -> RecalledPassage:
        return (
            one
            if one.passage.kind == "file" or one.passage.conversation_id == "there"
            else replace(one, local_only=False)
        )

    memory = replace(inputs.memory, found=tuple(map(unmarked, inputs.memory.found)))
    pinned = tuple(replace(one, local_only=False) for one in inputs.pinned)
    return case.but(memory=memory, pinned=pinned)


@some
@given(cases())
def test_a_local_model_may_see_all_of_it_and_the_plan_says_so_exactly_if_it_does(case: Case) -> None:
    case = replace(case, model=replace(case.model, local=True))
    for one in (case, case.roomy(), with_old_marks(case)):
        if (prompt := one.prompt()) is not None:
            local = local_ids(replace(case.inputs, now=replace(case.inputs.now, local_only=False)))
            seen = any(sources_of(id_, case.inputs) & local for id_ in shown_in(prompt))
            assert prompt.plan.local_only == (seen or case.inputs.now.local_only)
            assert WhyNot.LOCAL_ONLY not in {left.reason for left in prompt.plan.left_out}


@some
@given(cases())
def test_a_question_that_is_to_stay_local_is_refused_elsewhere(case: Case) -> None:
    local = case.but(now=replace(case.inputs.now, local_only=True), begun="", begun_id="")
    elsewhere = replace(local.model, local=False)
    with pytest.raises(OnlyForLocalModels):
        assemble_prompt(local.inputs, elsewhere, ratio=case.ratio, tools=case.tools)
    try:
        prompt = assemble_prompt(
            local.inputs, replace(elsewhere, local=True), ratio=case.ratio, tools=case.tools
        )
    except QuestionTooLong:
        return
    assert prompt.plan.local_only


@some
@given(cases())
def test_what_a_person_left_out_of_all_prompts_is_in_none(case: Case) -> None:
    if (prompt := case.prompt()) is not None:
        out = case.inputs.excluded
        assert [id_ for id_ in shown_in(prompt) if sources_of(id_, case.inputs) & out] == []


@some
@given(cases())
def test_what_a_person_wants_left_out_this_time_is_not_there_and_the_plan_says_why(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    inside = {item.id for section in prompt.plan.sections for item in section.items}
    assert not inside & case.inputs.leave_out
    assert not any(sources_of(id_, case.inputs) & case.inputs.asked_out for id_ in shown_in(prompt))
    if "summary" in case.inputs.leave_out:
        assert not any(id_.startswith("k") for id_ in shown_in(prompt))
    if "system:brief" in case.inputs.leave_out and case.inputs.brief:
        assert case.inputs.brief not in told(prompt.call)
        assert "system:brief" in {one.item.id for one in prompt.plan.left_out}
    for past in case.inputs.past:
        if f"round:{past.id}" in case.inputs.leave_out:
            assert f"round:{past.id}" in {one.item.id for one in prompt.plan.left_out}
            assert f"round:{past.id}" not in section_ids(prompt, SectionKind.ROUNDS)


@some
@given(cases())
def test_a_file_that_is_to_stay_local_is_in_nobodys_list(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    for one in case.inputs.file_list.listed:
        assert (one.about in prompt.call.system) == (not one.local_only)


@some
@given(cases())
def test_what_goes_on_from_a_local_reply_stays_local(case: Case) -> None:
    case = case.but(begun="So far", begun_id="b0", local_messages=frozenset({"b0"}))
    with pytest.raises(OnlyForLocalModels):
        assemble_prompt(case.inputs, replace(case.model, local=False), ratio=case.ratio, tools=case.tools)
    if (prompt := replace(case, model=replace(case.model, local=True)).prompt()) is not None:
        assert prompt.plan.local_only
