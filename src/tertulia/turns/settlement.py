"""After a model has spoken: what became of its reply, what it cost, and what it taught."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.context.prompt_assembly import Prompt
from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.domain import Reply, ReplyProblem, ReplyStatus
from tertulia.conversations.events import ReplyWaits, encode_event
from tertulia.core.errors import TertuliaError
from tertulia.infra.db import Tx
from tertulia.models.calls import Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.cost import cost_of
from tertulia.models.token_calibration import learn_token_ratio
from tertulia.models.tokens import count
from tertulia.turns import billing, finalisation, store
from tertulia.turns.domain import Charge, StopCause
from tertulia.turns.errors import InternalError, ServerStopped
from tertulia.turns.preparation import NotAsked
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_notes import with_all_notes
from tertulia.turns.services import TurnServices
from tertulia.turns.streaming import StreamedReply


@dataclass(frozen=True, slots=True)
class HeardReply:
    """What was heard of a reply: the reply as it stands, and every word of its text and thinking."""

    reply: Reply
    words: str
    #: What limits count for it already, where it waited for a person.
    charge_before: Charge


@dataclass(frozen=True, slots=True)
class TokenReport:
    """How many tokens a prompt had, as its provider says: from this its way of counting is learnt."""

    resolved: ResolvedModel
    prompt: Prompt
    tokens: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """A reply as it stays, or waits for a person, and what limits count for it."""

    reply: Reply
    charge: Charge
    calibration: TokenReport | None
    is_waiting: bool


def settle(
    heard: HeardReply, outcome: NotAsked | StreamedReply, *, stopped_by: StopCause | None, at: datetime
) -> Settlement:
    """Return what became of a reply; `stopped_by` says who cut it off, if anyone did."""
    problem = problem_of(heard, outcome, stopped_by)
    status = status_of(heard, problem, stopped_by)
    if isinstance(outcome, NotAsked):
        cost = heard.reply.cost if heard.reply.usage else None
        reply = replace(heard.reply, status=status, error=problem, cost=cost, finished_at=at)
        return Settlement(reply, heard.charge_before, None, is_waiting=False)
    usage = usage_of(heard, outcome)
    cost = cost_of(usage, outcome.resolved.model.prices) if usage else None
    is_waiting = outcome.is_waiting and status is ReplyStatus.DONE
    reply = replace(
        heard.reply,
        status=ReplyStatus.WAITING if is_waiting else status,
        error=problem,
        usage=usage,
        cost=cost,
        finished_at=None if is_waiting else at,
    )
    charge = billing.charge_for(cost, usage, resolved=outcome.resolved, reserved=outcome.reserved)
    report = None if is_waiting else token_report_of(outcome)
    return Settlement(reply, charge, report, is_waiting)


def problem_of(
    heard: HeardReply, outcome: NotAsked | StreamedReply, stopped_by: StopCause | None
) -> ReplyProblem | None:
    """Return what went wrong with a reply; that a person stopped it is no problem."""
    error = outcome.error
    if error is None or stopped_by is StopCause.PERSON:
        return None
    if stopped_by is StopCause.SERVER and isinstance(error, asyncio.CancelledError):
        error = ServerStopped(has_words=bool(heard.words))
    return to_problem(error)


def status_of(heard: HeardReply, problem: ReplyProblem | None, stopped_by: StopCause | None) -> ReplyStatus:
    """Return what a reply is called that does not wait for a person."""
    if stopped_by is StopCause.PERSON:
        return ReplyStatus.STOPPED
    return failure_status(heard.words) if problem else ReplyStatus.DONE


def failure_status(words: str) -> ReplyStatus:
    """Return what a reply is called that went wrong: interrupted with something said, or failed without."""
    return ReplyStatus.INTERRUPTED if words else ReplyStatus.FAILED


def usage_of(heard: HeardReply, streamed: StreamedReply) -> Usage | None:
    """Return the tokens used, with those of attempts that were cut off and made again."""
    used = last_attempt_usage(heard, streamed)
    return billing.add_cut_attempts(used, streamed.cut_usage, prices=streamed.resolved.model.prices)


def last_attempt_usage(heard: HeardReply, streamed: StreamedReply) -> Usage | None:
    """Return the tokens used: what the provider said, or an estimate when it was cut off before saying."""
    if streamed.usage is not None and (streamed.finished is not None or streamed.is_waiting):
        return streamed.usage
    if not heard.words and streamed.usage is None and billing.was_turned_away(streamed.error):
        return None
    model = streamed.resolved.model
    return billing.estimate_cut_off_usage(
        streamed.usage,
        asked=streamed.prompt_tokens,
        output=count(heard.words, model.name),
        prices=model.prices,
    )


def token_report_of(streamed: StreamedReply) -> TokenReport | None:
    """Return what a provider says of one prompt of words; pictures and further steps count otherwise."""
    usage, prompt = streamed.usage, streamed.prompt
    if usage is None or usage.estimated or streamed.steps > 1:
        return None
    if any(message.images for message in prompt.call.messages):
        return None
    return TokenReport(streamed.resolved, prompt, usage.input)


def to_problem(error: BaseException) -> ReplyProblem:
    """Return an error as it is stored with a reply; one that nobody foresaw is kept vague."""
    known = error if isinstance(error, TertuliaError) else InternalError()
    return ReplyProblem(known.code, known.message)


def save_settlement(
    tx: Tx,
    settlement: Settlement,
    draft: ReplyDraft,
    *,
    resume: Callable[[Tx, str], None],
    services: TurnServices,
) -> None:
    """Make a reply final, or let it wait for a person; `resume` has one go on that was just decided about."""
    if settlement.is_waiting:
        suspend_reply(tx, settlement, resume=resume, services=services)
        return
    finalisation.finalise_reply(
        tx,
        settlement.reply,
        text=draft.text,
        thinking=draft.thinking,
        charge=settlement.charge,
        events=services.events,
    )
    if settlement.calibration:
        calibrate_tokens(tx, settlement.calibration)


def suspend_reply(
    tx: Tx, settlement: Settlement, *, resume: Callable[[Tx, str], None], services: TurnServices
) -> None:
    """Keep a reply that waits for a person's yes as it is; it goes on once that is decided."""
    reply = settlement.reply
    rounds.save_reply(tx, with_all_notes(tx, reply))
    store.suspend_run(tx, reply.id, reserved=settlement.charge.amount)
    services.events.append(tx, reply.conversation_id, [encode_event(ReplyWaits(reply.id))])
    if not tool_runs.count_waiting(tx, reply.id):  # it was decided just before
        resume(tx, reply.id)


def calibrate_tokens(tx: Tx, report: TokenReport) -> None:
    """Learn how a model counts words from what its provider says that a prompt had."""
    resolved = report.resolved
    learn_token_ratio(
        tx,
        resolved.model,
        counted=report.prompt.counted,
        reported=report.tokens,
        payer=resolved.payer(tx.by),
    )
