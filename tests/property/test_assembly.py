"""Whatever was said before: a prompt fits, alternates, holds the question and shows only what it may."""

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tertulia.context.assemble import OVERHEAD, assemble
from tertulia.context.budget import Budget, QuestionTooLong
from tertulia.context.domain import PastReply, PastRound, Scene
from tertulia.conversations.domain import Policy, ReplyKind
from tertulia.models.calls import Call, Image
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.tokens import count, count_call

LANES = ("ada", "bob", "cid", "ada#2")
NAMES = ("gpt-5", "claude-opus-4-8", "claude-3-haiku", "gemini-2.5-pro", "something-else")
some = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

#: Words, scripts that make many tokens a character, and what tokenizers treat in a special way.
fillers = st.one_of(
    st.integers(0, 400).map(lambda n: "word " * n),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.sampled_from(["<|endoftext|>" * 5, "日本語の文章" * 40, "\n\n\n", "{lane} %s {0}", "👩‍👩‍👧‍👦" * 20]),
)
models = st.builds(
    Model,
    id=st.just("m"),
    connection=st.just("c"),
    name=st.sampled_from(NAMES),
    title=st.just("M"),
    window=st.sampled_from([2, 300, 600, 1_200, 2_500, 5_000, 8_000, 128_000]) | st.integers(2, 200_000),
    output_limit=st.sampled_from([1, 200, 4_000, 100_000]),
    tier=st.sampled_from(Tier),
    abilities=st.sampled_from([frozenset(), frozenset({Ability.VISION})]),
)


def question_mark(number: int) -> str:
    """Return a word that stands in this round's question and nowhere else."""
    return f"Q{number}Q"


def reply_mark(number: int, lane: str) -> str:
    """Return a word that stands in this lane's reply of this round and nowhere else."""
    return f"R{number}{LANES.index(lane)}R"


@st.composite
def past_rounds(draw: st.DrawFn, number: int) -> PastRound:
    lanes = draw(st.lists(st.sampled_from(LANES), unique=True))
    kinds = st.sampled_from([ReplyKind.ANSWER, ReplyKind.ANSWER, ReplyKind.MERGE, ReplyKind.JUDGE])
    replies = [PastReply(lane, reply_mark(number, lane) + draw(fillers), draw(kinds)) for lane in lanes]
    images = tuple(Image("image/png", b"p") for _ in range(draw(st.integers(0, 1))))
    return PastRound(question_mark(number) + draw(fillers), tuple(replies), images)


@st.composite
def scenes(draw: st.DrawFn, *, kinds: tuple[ReplyKind, ...] = tuple(ReplyKind)) -> Scene:
    length = draw(st.integers(0, 6))
    return Scene(
        lane=draw(st.sampled_from(LANES)),
        kind=draw(st.sampled_from(kinds)),
        policy=draw(st.sampled_from(Policy)),
        table=draw(st.sampled_from([LANES[:1], LANES[:2], LANES])),
        past=tuple(draw(past_rounds(number)) for number in range(length)),
        now=draw(past_rounds(99)),
        project=draw(st.sampled_from(["", "Garden"])),
        brief=draw(st.sampled_from(["", "brief " * 30])),
        instructions=draw(st.sampled_from([(), ("Be brief.",)])),
        begun=draw(st.sampled_from(["", "", "BEGUN and cut"])),
    )


def assembled(scene: Scene, model: Model) -> Call | None:
    """Return the call, or None when the question alone is too long."""
    try:
        return assemble(scene, model).call
    except QuestionTooLong:
        return None


def all_text(call: Call) -> str:
    return "\n".join([call.system, *(said.text for said in call.messages)])


@some
@given(scenes(), models)
def test_a_prompt_and_its_reply_never_exceed_the_window(scene: Scene, model: Model) -> None:
    call = assembled(scene, model)
    if call is None:
        return
    assert count_call(call) <= Budget.of(model).prompt + OVERHEAD
    assert count_call(call) + call.output_limit <= model.window + OVERHEAD
    assert 0 < call.output_limit <= model.output_limit
    assert assemble(scene, model).tokens >= sum(count(said.text, model.name) for said in call.messages)


@some
@given(scenes(), models)
def test_roles_alternate_from_the_person_to_the_person(scene: Scene, model: Model) -> None:
    if (call := assembled(scene, model)) is not None:
        roles = [said.role for said in call.messages]
        assert roles[0] == roles[-1] == "user"
        assert all(before != after for before, after in pairwise(roles))


@some
@given(scenes(), models)
def test_the_question_is_always_there_and_what_was_begun_too(scene: Scene, model: Model) -> None:
    if (call := assembled(scene, model)) is not None:
        assert any(scene.now.question in said.text for said in call.messages)
        assert scene.begun in all_text(call)
        if scene.kind is not ReplyKind.ANSWER:
            assert all(reply.text in call.messages[-1].text or scene.begun for reply in scene.now.replies)


@some
@given(scenes(), models)
def test_only_a_question_that_cannot_fit_is_refused(scene: Scene, model: Model) -> None:
    alone = Scene(
        lane=scene.lane,
        kind=scene.kind,
        policy=scene.policy,
        table=scene.table,
        past=(),
        now=scene.now,
        project=scene.project,
        brief=scene.brief,
        instructions=scene.instructions,
        begun=scene.begun,
    )
    assert (assembled(scene, model) is None) == (assembled(alone, model) is None)


@some
@given(scenes(kinds=(ReplyKind.ANSWER,)), models)
def test_under_own_no_other_lanes_words_are_shown(scene: Scene, model: Model) -> None:
    call = assembled(scene, model)
    if call is None or scene.policy is not Policy.OWN:
        return
    shown = all_text(call)
    others = [lane for lane in LANES if lane != scene.lane]
    assert not any(reply_mark(number, lane) in shown for number in (*range(6), 99) for lane in others)


@some
@given(scenes(), models)
def test_ones_own_answers_are_the_only_assistants_words(scene: Scene, model: Model) -> None:
    call = assembled(scene, model)
    if call is None:
        return
    spoken = "\n".join(said.text for said in call.messages if said.role == "assistant")
    others = [lane for lane in LANES if lane != scene.lane]
    assert not any(reply_mark(number, lane) in spoken for number in (*range(6), 99) for lane in others)


@some
@given(scenes(), models)
def test_the_newest_rounds_win_and_none_is_cut_in_two(scene: Scene, model: Model) -> None:
    call = assembled(scene, model)
    if call is None:
        return
    shown = all_text(call)
    kept = [number for number, past in enumerate(scene.past) if question_mark(number) in shown]
    assert kept == list(range(len(scene.past) - len(kept), len(scene.past)))
    for number in kept:
        past = scene.past[number]
        assert past.question in shown
        own = [one for one in past.replies if one.lane == scene.lane and one.kind is ReplyKind.ANSWER]
        seen = own if scene.policy is Policy.OWN else past.replies
        assert all(reply.text in shown for reply in seen)


@some
@given(scenes(), models)
def test_the_same_scene_gives_the_same_prompt(scene: Scene, model: Model) -> None:
    if (call := assembled(scene, model)) is not None:
        assert assembled(scene, model) == call


@some
@given(scenes(), models)
def test_a_blind_model_is_sent_no_picture_and_one_that_sees_gets_those_of_the_question(
    scene: Scene, model: Model
) -> None:
    if (call := assembled(scene, model)) is not None:
        sent = [image for said in call.messages for image in said.images]
        if Ability.VISION in model.abilities:
            assert len(sent) >= len(scene.now.images)
        else:
            assert sent == []
