"""While a model speaks: it is asked, its tools run, and all that it says goes into the draft."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from tertulia.agents.agent_events import AgentEvent
from tertulia.agents.agent_step import NO_USAGE, add_usage
from tertulia.agents.loop import ResumePoint, WaitingForApproval, run_agent_loop
from tertulia.agents.loop_limits import LoopLimitReached, LoopLimits
from tertulia.agents.retry import RetryScheduled
from tertulia.agents.step_stream import stream_step
from tertulia.context import receipts
from tertulia.context.prompt_assembly import Prompt
from tertulia.context.step_budget import build_plan_step, fit_steps
from tertulia.context.withdrawn_facts import list_facts_that_hold, replace_facts, told_facts
from tertulia.conversations import rounds
from tertulia.conversations.audience import find_audience
from tertulia.conversations.domain import ReplyStatus
from tertulia.conversations.events import ReplyStarted, ReplyStatusChanged, encode_event
from tertulia.conversations.views import PassageView
from tertulia.core.clock import now
from tertulia.core.view import view_as
from tertulia.infra.db import Tx
from tertulia.models.calls import Call, Finished, Provider, TextDelta, ThinkingDelta, Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.errors import ModelUnknown, PromptTooLong
from tertulia.turns import billing, store
from tertulia.turns.domain import Reservation
from tertulia.turns.errors import EmptyReply, LeaseLost, ModelDeclined, ReplyCutAtLimit, ReplyTooLong
from tertulia.turns.preparation import NotAsked, PreparedReply
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_notes import with_all_notes
from tertulia.turns.running_reply import RunningReply
from tertulia.turns.services import TurnServices

#: What is said when a model is asked again with less.
PROMPT_SHORTENED = "The provider found the prompt too long: it is asked once more with less of the past."


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """How a model was heard: to its end, until a person has to say yes, or until something went wrong."""

    resolved: ResolvedModel
    prompt: Prompt
    #: What the provider reported last, for all steps so far.
    usage: Usage | None
    #: What attempts may be billed for that were cut off before a word and made again.
    cut_usage: Usage
    finished: Finished | None
    is_waiting: bool
    #: Those before it waited too.
    steps: int
    #: Of all prompts that were sent and did not fail before a word.
    prompt_tokens: int
    reserved: float
    error: BaseException | None


async def stream_reply(
    prepared: PreparedReply, running: RunningReply, *, services: TurnServices
) -> NotAsked | StreamedReply:
    """Ask a model and take in all it says; what goes wrong is part of what is returned."""
    stream = _ReplyStream(prepared, running.draft, services=services)
    error = await running.run_part(stream.run())
    if error is not None and not stream.is_started:
        return NotAsked(error)
    return stream.to_streamed_reply(error)


class _ReplyStream:
    """What is known of a reply while its model is heard."""

    def __init__(self, prepared: PreparedReply, draft: ReplyDraft, *, services: TurnServices) -> None:
        self._prepared = prepared
        self._draft = draft
        self._services = services
        self.is_started = False
        self._prompt = prepared.prompt
        self._usage: Usage | None = None
        #: That of the steps before this one.
        self._usage_before: Usage | None = None
        self._cut_usage = NO_USAGE
        self._ended: Finished | WaitingForApproval | None = None
        self._reserved = 0.0
        self._prompt_tokens = prepared.prompt.tokens
        self._steps: int = 1
        #: What was sent last, and in which step.
        self._sent = prepared.prompt.call
        self._sent_tokens = prepared.prompt.tokens
        self._number: int = 1

    def to_streamed_reply(self, error: BaseException | None) -> StreamedReply:
        """Return what became of it."""
        return StreamedReply(
            resolved=self._prepared.resolved,
            prompt=self._prompt,
            usage=self._usage,
            cut_usage=self._cut_usage,
            finished=self._ended if isinstance(self._ended, Finished) else None,
            is_waiting=isinstance(self._ended, WaitingForApproval),
            steps=self._steps,
            prompt_tokens=self._prompt_tokens,
            reserved=self._reserved,
            error=error,
        )

    async def run(self) -> None:
        """Ask and take in all that is said; raise what went wrong, or why the answer is none."""
        try:
            await self._ask(self._prepared.prompt)
        except PromptTooLong as error:
            if not self._draft.is_empty:
                raise
            # Once: a provider that finds the shorter one too long as well is believed.
            self._report_status(error.code, PROMPT_SHORTENED)
            await self._ask(await self._prepared.write_shorter_prompt())
        if isinstance(self._ended, Finished):
            self._check_answer(self._ended)

    async def _ask(self, prompt: Prompt) -> None:
        """Ask with one prompt and take in all that is said and done after it."""
        resumed = await self._start(prompt)
        resolved, services = self._prepared.resolved, self._services
        quirks = services.quirks.of(resolved.model, by=self._draft.by)
        retries = services.settings.provider_retries
        self._ended = await run_agent_loop(
            partial(
                stream_step,
                self._find_provider,
                quirks=quirks,
                retries=retries,
                admit_retry=self._admit_retry,
                revise=self._drop_withdrawn_facts,
            ),
            prompt.call,
            tools=self._prepared.tools,
            emit=self._take_in,
            admit=self._admit,
            limits=LoopLimits(),
            resumed=resumed,
        )

    async def _find_provider(self) -> Provider:
        """Return who answers for the model now: a key that was removed since is not used again."""
        reference, by = self._draft.reply.model, self._draft.by
        found = await self._services.models.resolve(reference, by=by)
        if found.is_personal != self._prepared.resolved.is_personal:
            # Another connection answers to the name now, and somebody else would pay.
            raise ModelUnknown(reference)
        return found.provider

    async def _drop_withdrawn_facts(self, call: Call) -> Call:
        """Return a call without what it tells of the person that was revoked or deleted meanwhile."""
        told, by, db = told_facts(self._prompt.plan), self._draft.by, self._services.db
        if not told:
            return call
        conversation_id = self._draft.reply.conversation_id
        audience = await db.read_inline(lambda tx: find_audience(tx, conversation_id), by=by)
        is_local = self._prepared.resolved.model.local
        kept = await db.read_inline(lambda tx: list_facts_that_hold(tx, told, is_local=is_local), by=audience)
        return call if kept == told else replace_facts(call, told, kept)

    async def _start(self, prompt: Prompt) -> ResumePoint | None:
        """Write down that the model is about to be asked; return where a reply that waited goes on."""
        draft, tools, db = self._draft, self._prepared.tools, self._services.db
        was_started = draft.reply.started_at is not None
        reserved = await db.write(
            lambda tx: mark_started(
                tx, draft, prompt, self._prepared.resolved, self._services, cut=self._cut_usage
            ),
            by=draft.by,
        )
        self.is_started = True
        self._prompt, self._reserved = prompt, reserved
        self._prompt_tokens, self._steps = prompt.tokens, 1
        self._sent, self._sent_tokens, self._number = prompt.call, prompt.tokens, 1
        if not was_started:
            return None
        resumed = await db.read(lambda tx: tools.resume(tx, prompt.call), by=tools.audience)
        if resumed is not None:
            self._usage = resumed.step.totals_before.usage
            self._prompt_tokens, self._steps = self._usage.input, len(resumed.past) + 2
            self._sent, self._number = resumed.call, len(resumed.past) + 1
        return resumed

    async def _admit(self, call: Call) -> Call:
        """Return a further call as it fits, once what it may cost is reserved and what it shows is kept."""
        draft, prompt, resolved = self._draft, self._prompt, self._prepared.resolved
        call = fit_steps(call, max_tokens=prompt.plan.limit, counter=prompt.counter)
        step = build_plan_step(self._sent, call, number=self._number + 1, counter=prompt.counter)
        prompt_tokens = self._prompt_tokens + step.tokens
        reservation = self._reservation_for(prompt_tokens, output_limit=call.output_limit)

        def reserve(tx: Tx) -> None:
            billing.reserve_spending(tx, draft.reply.id, reservation, resolved=resolved)
            receipts.add_step(tx, draft.reply, step)

        await self._services.db.write(reserve, by=draft.by)
        self._reserved = reservation.amount
        self._prompt_tokens, self._steps = prompt_tokens, self._steps + 1
        self._sent, self._sent_tokens, self._number = call, step.tokens, step.number
        self._usage_before = self._usage
        return call

    async def _admit_retry(self, retry: RetryScheduled) -> None:
        """Take one more attempt as sent, once it is reserved where the one before it may be billed."""
        prompt_tokens = self._prompt_tokens + self._sent_tokens
        if not billing.was_turned_away(retry.error):
            draft, resolved = self._draft, self._prepared.resolved
            reservation = self._reservation_for(prompt_tokens, output_limit=self._sent.output_limit)
            await self._services.db.write(
                lambda tx: billing.reserve_spending(tx, draft.reply.id, reservation, resolved=resolved),
                by=draft.by,
            )
            self._reserved = reservation.amount
        self._prompt_tokens = prompt_tokens

    def _reservation_for(self, prompt_tokens: int, *, output_limit: int) -> Reservation:
        """Return what the next call may cost at most, on top of what was used so far."""
        resolved, cut = self._prepared.resolved, self._cut_usage
        used = billing.add_cut_attempts(self._usage, cut, prices=resolved.model.prices)
        return billing.reservation_for_step(
            resolved,
            prompt_tokens=prompt_tokens + cut.input,
            output_limit=output_limit,
            used=used or NO_USAGE,
            steps=self._steps,
        )

    def _take_in(self, event: AgentEvent) -> None:
        """Take in one thing that was heard; tools write down by themselves what they do."""
        draft, recorder = self._draft, self._services.recorder
        match event:
            case TextDelta(text):
                self._add_words(text, add=draft.add_text)
            case ThinkingDelta(text):
                self._add_words(text, add=draft.add_thinking)
            case Usage():
                self._usage = event
            case RetryScheduled(error=error, wait=wait):
                self._count_failed_attempt(event)
                self._report_status(error.code, error.message, wait=wait)
                recorder.mark_changed(draft, urgent=True)
            case LoopLimitReached(reason=reason, message=message):
                self._report_status(reason, message)
                draft.replace_reply(replace(draft.reply, notice=message))
                recorder.mark_changed(draft, urgent=True)

    def _count_failed_attempt(self, retry: RetryScheduled) -> None:
        """Keep what a failed attempt may be billed for: what the next one reports says nothing of it."""
        self._usage = self._usage_before
        self._prompt_tokens -= self._sent_tokens
        if not billing.was_turned_away(retry.error):
            cut = billing.usage_of_cut_attempt(retry.reported, prompt_tokens=self._sent_tokens)
            self._cut_usage = add_usage(self._cut_usage, cut)

    def _add_words(self, text: str, *, add: Callable[[str], bool]) -> None:
        """Take in words, or as many of them as the reply has room for: then it ends there."""
        max_chars = self._services.settings.reply_max_chars
        room = max_chars - self._draft.length
        self._services.recorder.mark_changed(self._draft, urgent=add(text[:room]))
        if len(text) > room:
            raise ReplyTooLong(max_chars)

    def _report_status(self, code: str, message: str, *, wait: float = 0.0) -> None:
        self._draft.add_event(ReplyStatusChanged(self._draft.reply.id, code, message, round(wait, 1)))

    def _check_answer(self, finished: Finished) -> None:
        """Raise when the model stopped for a reason that the person should know."""
        if finished.reason == "length":
            raise ReplyCutAtLimit
        if finished.reason == "refused":
            raise ModelDeclined
        if self._steps > 1 and not self._draft.text:
            raise EmptyReply


def mark_started(
    tx: Tx,
    draft: ReplyDraft,
    prompt: Prompt,
    resolved: ResolvedModel,
    services: TurnServices,
    *,
    cut: Usage,
) -> float:
    """Write down that a model is about to be asked, and reserve and return what that may cost at most."""
    reply = draft.reply
    if not store.hold_run(tx, reply.id, worker=services.worker):
        raise LeaseLost
    reservation = billing.reservation_for_start(
        reply,
        resolved=resolved,
        prompt_tokens=prompt.tokens,
        output_limit=prompt.call.output_limit,
        cut=cut,
    )
    billing.reserve_spending(tx, reply.id, reservation, resolved=resolved)
    passages = list(prompt.passages)
    started = replace(
        with_all_notes(tx, reply),
        status=ReplyStatus.RUNNING,
        started_at=reply.started_at or now(),
        passages=passages,
        cost=reply.cost if resolved.model.prices is None else reservation.spent,  # unknown, or nothing yet
    )
    rounds.save_reply(tx, started)
    rounds.save_passages(tx, started, passages)
    plan = receipts.with_earlier_steps(tx, reply.id, prompt.plan) if reply.started_at else prompt.plan
    receipts.save(tx, started, plan)
    event = ReplyStarted(reply.round_id, reply.id, [view_as(PassageView, passage) for passage in passages])
    services.events.append(tx, reply.conversation_id, [encode_event(event)])
    tx.after_commit(lambda: draft.replace_reply(started))
    return reservation.amount
