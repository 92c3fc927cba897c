"""What becomes of a reply, what limits count for it and what it teaches, however it ended."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.written_replies import a_reply

from tertulia.context.prompt_assembly import Prompt
from tertulia.context.prompt_plan import PromptPlan
from tertulia.conversations.domain import ReplyProblem, ReplyStatus
from tertulia.models.calls import Call, Finished, Image, OfferedModel, PromptMessage, Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.domain import Ability, Model, Prices, Tier
from tertulia.models.errors import KeyRejected, ModelUnknown, ProviderSilent, StreamCut
from tertulia.turns.domain import NO_CHARGE, Charge, StopCause
from tertulia.turns.errors import ReplyCutAtLimit, SpendingLimitReached
from tertulia.turns.preparation import NotAsked
from tertulia.turns.settlement import HeardReply, TokenReport, settle
from tertulia.turns.streaming import StreamedReply

ENDED = datetime(2026, 1, 2, tzinfo=UTC)
PRICES = Prices(input=1_000_000.0, output=2_000_000.0)
MODEL = Model("m", "here", "gpt-4o", "M", 8192, 1024, Tier.FAST, prices=PRICES)
DONE = Finished("done")
CUT = StreamCut("here", "It broke off.")
PERSON, SERVER = StopCause.PERSON, StopCause.SERVER
STOPPED, INTERRUPTED, FAILED = ReplyStatus.STOPPED, ReplyStatus.INTERRUPTED, ReplyStatus.FAILED


class Silent:
    """A provider that nobody asks here."""

    def stream(self, call: Call) -> Any:
        raise NotImplementedError

    async def offered(self) -> list[OfferedModel]:
        return []


def heard(words: str = "", *, charge_before: Charge = NO_CHARGE, **known: Any) -> HeardReply:
    return HeardReply(a_reply(**known), words, charge_before)


def a_prompt(*images: Image) -> Prompt:
    call = Call("gpt-4o", "", (PromptMessage("user", "Why?", images=images),), 100)
    return Prompt(call, PromptPlan("m", "m", 8192, 100, 8000, 10, ()))


def streamed(*, model: Model = MODEL, personal: bool = False, **known: Any) -> StreamedReply:
    reply = StreamedReply(
        resolved=ResolvedModel(model, Silent(), is_personal=personal),
        prompt=a_prompt(),
        usage=None,
        cut_usage=Usage(0, 0),
        finished=None,
        is_waiting=False,
        steps=1,
        prompt_tokens=10,
        reserved=500.0,
        error=None,
    )
    return replace(reply, **known)


REPORTED = Usage(12, 3)
#: How it ended, whether it was cut off, and then: its status, its error, tokens and dollars.
CASES = {
    "done": (streamed(usage=REPORTED, finished=DONE), None, ReplyStatus.DONE, None, (12, 3, False), 18.0),
    "done, stopped a moment later": (
        streamed(usage=REPORTED, finished=DONE),
        PERSON,
        STOPPED,
        None,
        (12, 3, False),
        18.0,
    ),
    "done, the server stopped a moment later": (
        streamed(usage=REPORTED, finished=DONE),
        SERVER,
        ReplyStatus.DONE,
        None,
        (12, 3, False),
        18.0,
    ),
    "at the longest": (
        streamed(usage=REPORTED, finished=Finished("length"), error=ReplyCutAtLimit()),
        None,
        INTERRUPTED,
        "reply_cut_at_limit",
        (12, 3, False),
        18.0,
    ),
    "stopped before it was counted": (
        streamed(error=asyncio.CancelledError()),
        PERSON,
        STOPPED,
        None,
        (10, 2, True),
        14.0,
    ),
    "by a server that stops": (
        streamed(error=asyncio.CancelledError()),
        SERVER,
        INTERRUPTED,
        "server_stopped",
        (10, 2, True),
        14.0,
    ),
    "in the middle": (streamed(error=CUT), None, INTERRUPTED, "stream_cut", (10, 2, True), 14.0),
    "in the middle, counted so far": (
        streamed(error=CUT, usage=Usage(12, 1)),
        None,
        INTERRUPTED,
        "stream_cut",
        (12, 2, True),
        16.0,
    ),
    "in a second step": (
        streamed(error=CUT, usage=Usage(12, 1), steps=2, prompt_tokens=40),
        None,
        INTERRUPTED,
        "stream_cut",
        (40, 2, True),
        44.0,
    ),
    "waiting": (
        streamed(usage=REPORTED, is_waiting=True),
        None,
        ReplyStatus.WAITING,
        None,
        (12, 3, False),
        18.0,
    ),
    "waiting, but stopped": (
        streamed(usage=REPORTED, is_waiting=True),
        PERSON,
        STOPPED,
        None,
        (12, 3, False),
        18.0,
    ),
    "waiting over the server's stop": (
        streamed(usage=REPORTED, is_waiting=True),
        SERVER,
        ReplyStatus.WAITING,
        None,
        (12, 3, False),
        18.0,
    ),
    "at the longest, the server stopped a moment later": (
        streamed(usage=REPORTED, finished=Finished("length"), error=ReplyCutAtLimit()),
        SERVER,
        INTERRUPTED,
        "reply_cut_at_limit",
        (12, 3, False),
        18.0,
    ),
    "by a mistake of ours": (
        streamed(error=RuntimeError("secret")),
        None,
        INTERRUPTED,
        "internal",
        (10, 2, True),
        14.0,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_reply_of_which_something_was_heard(case: tuple[Any, ...]) -> None:
    outcome, stopped_by, status, code, (sent, written, estimated), dollars = case

    settlement = settle(heard("Hello there"), outcome, stopped_by=stopped_by, at=ENDED)

    reply = settlement.reply
    assert (reply.status, reply.error and reply.error.code) == (status, code)
    assert reply.usage == Usage(sent, written, estimated=estimated)
    assert (reply.cost, settlement.charge) == (dollars, Charge(dollars, personal=False))
    assert settlement.is_waiting == (status is ReplyStatus.WAITING)
    assert reply.finished_at == (None if settlement.is_waiting else ENDED)


@pytest.mark.parametrize(
    ("error", "usage", "cost"),
    [
        (KeyRejected("here", "No."), None, None),
        (ProviderSilent("here", "Nothing came."), Usage(10, 0, estimated=True), 10.0),
        (CUT, Usage(10, 0, estimated=True), 10.0),
        (RuntimeError(), Usage(10, 0, estimated=True), 10.0),
    ],
)
def test_a_reply_of_which_nothing_was_heard_costs_only_what_may_be_billed(
    error: Exception, usage: Usage | None, cost: float | None
) -> None:
    settlement = settle(heard(), streamed(error=error), stopped_by=None, at=ENDED)

    assert settlement.reply.status is FAILED
    assert settlement.reply.usage == usage
    assert settlement.reply.cost == cost
    assert settlement.charge.amount == (cost or 0.0)


@pytest.mark.parametrize(
    "outcome", [streamed(error=asyncio.CancelledError()), NotAsked(asyncio.CancelledError())]
)
def test_a_reply_that_the_servers_stop_cut_off_before_a_word_failed_and_claims_no_words(
    outcome: NotAsked | StreamedReply,
) -> None:
    reply = settle(heard(), outcome, stopped_by=SERVER, at=ENDED).reply

    assert reply.status is FAILED
    assert reply.error == ReplyProblem(
        "server_stopped", "The server stopped before the model answered: ask it again."
    )


@pytest.mark.parametrize(("stopped_by", "status"), [(None, FAILED), (PERSON, STOPPED)])
def test_a_reply_whose_model_was_not_asked_costs_nothing(
    stopped_by: StopCause | None, status: ReplyStatus
) -> None:
    outcome = NotAsked(SpendingLimitReached("Your", 1.0))

    settlement = settle(heard(started_at=None), outcome, stopped_by=stopped_by, at=ENDED)

    reply = settlement.reply
    assert (reply.status, reply.usage, reply.cost, reply.finished_at) == (status, None, None, ENDED)
    assert (reply.error is None) == (stopped_by is not None)
    assert (settlement.charge, settlement.calibration) == (NO_CHARGE, None)


def test_what_a_reply_cost_before_it_waited_is_kept_when_its_model_is_gone_afterwards() -> None:
    before, charge = REPORTED, Charge(20.0, personal=True)
    waited = heard("So far.", charge_before=charge, usage=before, cost=18.0)

    settlement = settle(waited, NotAsked(ModelUnknown("m")), stopped_by=None, at=ENDED)

    reply = settlement.reply
    assert (reply.status, reply.usage, reply.cost) == (INTERRUPTED, before, 18.0)
    assert settlement.charge == charge


def test_attempts_that_were_cut_off_cost_their_prompts_beside_what_the_last_one_reports() -> None:
    cut = Usage(30, 1, estimated=True)

    def total(**known: Any) -> tuple[Usage | None, float | None, float]:
        settlement = settle(heard("So."), streamed(cut_usage=cut, **known), stopped_by=None, at=ENDED)
        return settlement.reply.usage, settlement.reply.cost, settlement.charge.amount

    assert total(usage=REPORTED, finished=DONE) == (Usage(42, 4, estimated=True), 50.0, 50.0)
    said = replace(REPORTED, cost=5.0)
    assert total(usage=said, finished=DONE) == (Usage(42, 4, cost=37.0, estimated=True), 37.0, 37.0)


def test_attempts_that_were_cut_off_are_paid_though_the_last_one_was_turned_away() -> None:
    outcome = streamed(cut_usage=Usage(30, 0, estimated=True), error=KeyRejected("here", "No."))
    settlement = settle(heard(), outcome, stopped_by=None, at=ENDED)

    assert settlement.reply.usage == Usage(30, 0, estimated=True)
    assert (settlement.reply.cost, settlement.charge.amount) == (30.0, 30.0)


def test_without_prices_nobody_knows_the_cost_unless_the_provider_says_it() -> None:
    unpriced = replace(MODEL, prices=None)

    def cost(usage: Usage) -> float | None:
        outcome = streamed(model=unpriced, usage=usage, finished=DONE)
        return settle(heard("So."), outcome, stopped_by=None, at=ENDED).reply.cost

    assert cost(REPORTED) is None
    assert cost(replace(REPORTED, cost=0.001)) == 0.001


def test_limits_count_all_that_was_reserved_where_a_model_may_have_thought_out_of_sight() -> None:
    thinking = replace(MODEL, abilities=frozenset({Ability.THINKING}))

    def charge(**known: Any) -> Charge:
        outcome = streamed(model=thinking, personal=True, **known)
        return settle(heard("So."), outcome, stopped_by=None, at=ENDED).charge

    assert charge(error=CUT) == Charge(500.0, personal=True)
    assert charge(usage=REPORTED, finished=DONE) == Charge(18.0, personal=True)


def test_only_what_a_provider_says_of_one_prompt_of_words_teaches_how_it_counts() -> None:
    def calibration(**known: Any) -> TokenReport | None:
        known = {"usage": REPORTED, "finished": DONE} | known
        return settle(heard("So."), streamed(**known), stopped_by=None, at=ENDED).calibration

    report = calibration()
    assert report is not None
    assert report.tokens == 12
    assert calibration(usage=None) is None
    assert calibration(usage=replace(REPORTED, estimated=True)) is None
    assert calibration(steps=2) is None
    assert calibration(prompt=a_prompt(Image("image/png", b""))) is None
    assert calibration(finished=None, is_waiting=True) is None


def test_a_mistake_of_ours_is_not_told_to_the_person() -> None:
    outcome = NotAsked(RuntimeError("secret"))
    problem = settle(heard(), outcome, stopped_by=None, at=ENDED).reply.error
    assert problem is not None
    assert problem.code == "internal"
    assert "secret" not in problem.message
