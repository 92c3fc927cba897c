"""Whatever there is to be shown: a prompt fits, and its plan says to the token what it is made of."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.prompt_cases import PICTURE, TOOL, Case, cases, fillers, models, shown_in, some, told

from tertulia.context.domain import EMPTY_RECALL, FileList, PastReply, PastRound, PromptInputs
from tertulia.context.prompt_assembly import assemble_prompt
from tertulia.context.token_budget import QuestionTooLong
from tertulia.context.visibility import OnlyForLocalModels
from tertulia.conversations.domain import Policy, ReplyKind
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.tokens import count_call


@some
@given(cases())
def test_a_prompt_and_its_reply_never_exceed_the_window(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    plan = prompt.plan
    assert plan.tokens == prompt.tokens == case.counter.call(prompt.call)
    assert plan.tokens <= plan.limit <= plan.window - plan.reply
    assert 0 < prompt.call.output_limit == plan.reply <= case.model.output_limit
    assert plan.limit <= (case.inputs.prompt_settings.max_tokens or plan.limit)
    assert prompt.counted == count_call(prompt.call)


@some
@given(cases())
def test_the_sections_add_up_to_the_prompt(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    assert sum(section.tokens for section in prompt.plan.sections) == prompt.plan.tokens
    items = sum(item.tokens for section in prompt.plan.sections for item in section.items)
    frames = 120 * len(prompt.plan.sections) * case.ratio
    assert abs(items - prompt.plan.tokens) <= frames + 0.25 * prompt.plan.tokens


@some
@given(cases())
def test_only_a_question_that_cannot_fit_is_refused(case: Case) -> None:
    bare = case.but(past=(), pinned=(), points=(), memory=EMPTY_RECALL)
    assert (case.prompt() is None) == (bare.prompt() is None)


@some
@given(cases())
def test_a_refusal_says_what_is_too_long_and_what_helps(case: Case) -> None:
    if case.prompt() is not None:
        return
    with pytest.raises((QuestionTooLong, OnlyForLocalModels)) as refused:
        assemble_prompt(case.inputs, case.model, ratio=case.ratio, tools=case.tools, shorter=case.shorter)
    if isinstance(refused.value, OnlyForLocalModels):
        begun_here = case.inputs.begun_id in case.inputs.local_messages
        assert case.inputs.now.local_only or begun_here
        assert not case.model.local
    elif case.inputs.prompt_settings.max_tokens is None and case.model.context_window < 16_000:
        assert "larger window" in refused.value.message
    else:
        assert "Shorten it" in refused.value.message


@some
@given(cases())
def test_the_question_is_always_there_and_what_was_begun_too(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    inputs = case.inputs
    assert any(inputs.now.question in said.text for said in prompt.call.messages)
    assert inputs.begun in told(prompt.call)
    if inputs.kind is not ReplyKind.ANSWER:
        read = [reply for reply in inputs.now.replies if case.model.local or not reply.local_only]
        assert all(reply.text in told(prompt.call) for reply in read)
        assert shown_in(prompt) >= {reply.id for reply in read}


@some
@given(
    cases(kinds=(ReplyKind.ANSWER,)),
    st.sampled_from(["question", "reply", "pinned", "point", "always", "named", "found"]),
    st.sampled_from([60_000, 700_000]),
)
def test_a_single_thing_larger_than_the_window_breaks_nothing(case: Case, where: str, size: int) -> None:
    huge = "walrus and clams " * (size // 17)
    inputs = replace(case.inputs, now=replace(case.inputs.now, local_only=False))
    small = replace(case, model=replace(case.model, context_window=8_000, output_limit=1_000))
    assume(replace(small, inputs=inputs).prompt() is not None)
    past, memory = inputs.past, inputs.memory
    if where in ("question", "reply"):
        assume(past)
        last = past[-1]
        reply = PastReply(inputs.lane, huge, id="huge")
        bigger = replace(last, question=huge) if where == "question" else replace(last, replies=(reply,))
        inputs = replace(inputs, past=(*past[:-1], bigger))
    elif where == "pinned":
        assume(inputs.pinned)
        inputs = replace(inputs, pinned=tuple(replace(one, text=huge) for one in inputs.pinned))
    elif where == "point":
        assume(inputs.points)
        inputs = replace(inputs, points=tuple(replace(one, text=huge) for one in inputs.points))
    else:
        assume(getattr(memory, where))
        things = tuple(replace(one, text=huge, hint=huge) for one in getattr(memory, where))
        inputs = replace(inputs, memory=replace(memory, **{where: things}))
    prompt = replace(small, inputs=inputs).prompt()
    assert prompt is not None
    assert prompt.plan.tokens <= prompt.plan.limit
    assert inputs.now.question in told(prompt.call)


@some
@given(cases())
def test_a_blind_model_is_sent_no_picture_and_one_that_sees_gets_those_of_the_question(case: Case) -> None:
    if (prompt := case.prompt()) is None:
        return
    sent = [image for said in prompt.call.messages for image in said.images]
    if Ability.VISION in case.model.abilities:
        assert len(sent) >= len(case.inputs.now.images)
    else:
        assert sent == []


@given(st.sampled_from(["", "word " * 2_000]), models)
@some
def test_pictures_that_a_blind_model_cannot_see_take_no_room(filler: str, model: Model) -> None:
    now = PastRound(f"Look. {filler}", number=1)
    plain = inputs_of(now)
    blind = replace(model, abilities=frozenset(), context_window=max(model.context_window, 1_000))
    try:
        with_none = assemble_prompt(plain, blind)
    except QuestionTooLong:
        return
    pictured = assemble_prompt(
        replace(plain, now=replace(now, images=(PICTURE,) * 9)), replace(blind, context_window=200_000)
    )
    assert pictured.plan.tokens < with_none.plan.tokens + 100


@given(fillers, st.integers(1, 30))
@some
def test_tools_are_counted_with_the_prompt(filler: str, number: int) -> None:
    tools = tuple(replace(TOOL, name=f"tool_{one}") for one in range(number))
    model = Model("m", "c", "gpt-5", "M", 20_000, 1_000, Tier.SMART)
    prompt = assemble_prompt(inputs_of(PastRound(f"Well? {filler}", number=1)), model, tools=tools)
    assert prompt.plan.tokens == count_call(prompt.call) <= prompt.plan.limit
    assert prompt.call.tools == tools
    small = assemble_prompt(
        inputs_of(PastRound("Well?", number=1)), replace(model, context_window=300), tools=tools * 10
    )
    assert small.call.tools == (), "tools that leave no room for anything else are not offered"
    assert small.plan.tokens <= small.plan.limit


def inputs_of(now: PastRound) -> PromptInputs:
    """Return inputs with nothing but a question."""
    return PromptInputs("m", "m", ReplyKind.ANSWER, Policy.EVERYONE, ("m",), (), now, file_list=FileList())
