"""The tools of one reply: written down before they run, asked about where they change something, told."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from tertulia.agents.agent_step import NO_USAGE, AgentStep, StepTotals
from tertulia.agents.loop import ResumePoint, with_notes
from tertulia.agents.loop_limits import ask_for_less
from tertulia.agents.tools import ToolEnded
from tertulia.context.receipts import list_told_memories
from tertulia.conversations import event_publisher, tool_runs, tool_sources
from tertulia.conversations.audience import find_audience
from tertulia.conversations.domain import Reply, ToolStatus
from tertulia.conversations.events import ReplyNoted, ReplyToolCall, ReplyToolOutput, encode_event
from tertulia.conversations.message_pictures import add_attachment
from tertulia.conversations.tool_runs import ToolRun, ToolStep
from tertulia.conversations.views import NoteView, ToolCallView
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memories.prompt_memories import note_uses
from tertulia.models.calls import Call, Tool, ToolCall
from tertulia.tools import read_tool_result
from tertulia.tools.domain import CallPreview, Effect, ToolCaller, ToolOutput, refused_output
from tertulia.tools.registry import ToolRegistry
from tertulia.turns import store
from tertulia.turns.approval_rules import APPROVAL_TTL, needs_approval
from tertulia.turns.errors import LeaseLost
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_notes import with_all_notes
from tertulia.turns.services import TurnServices

CALL_DENIED = (
    "The person did not allow this call. Do not try it again; go on without it, or ask what they want."
)
CALL_OUTDATED = (
    "What this is about was changed after the person was asked, so it was not run. "
    "Look at how it is now, and ask again if that is still wanted."
)
CALL_EXPIRED = "Nobody answered whether this may run, so it was not run. Go on without it."
CALL_STOPPED = "This was stopped before it gave anything."
CALL_OUTCOME_UNKNOWN = "Whether this has run is not known: say so, and do not run it again without asking."
#: Calls that have given nothing yet, and may still.
OPEN_CALL_STATUSES = (ToolStatus.WAITING, ToolStatus.APPROVED, ToolStatus.RUNNING)


class ReplyTools:
    """Runs what one reply asks for."""

    def __init__(
        self, draft: ReplyDraft, caller: ToolCaller, *, registry: ToolRegistry, services: TurnServices
    ) -> None:
        self._draft = draft
        self._caller = caller
        self._registry = registry
        self._services = services
        self._runs: dict[str, ToolRun] = {}
        #: Calls that cannot be run as they are, and what the model is told.
        self._refused: dict[str, ToolOutput] = {}

    @property
    def reply(self) -> Reply:
        """The reply that is being written."""
        return self._draft.reply

    @property
    def audience(self) -> Principal:
        """As whom the reply's tools looked things up when it began."""
        return self._caller.reader

    def tool_definitions(self) -> tuple[Tool, ...]:
        """Return the tools that the model may use."""
        return self._registry.tool_definitions(self._caller)

    async def record_step(self, number: int, step: AgentStep) -> None:
        """Write down a step and all its calls before any of them runs."""
        said = ToolStep(number, "".join(step.text), list(step.blocks))
        by = self._draft.by
        self._runs |= await self._services.db.write(lambda tx: self._write_step(tx, said, step.calls), by=by)

    async def run(self, call: ToolCall) -> ToolOutput | None:
        """Run a call; None while a person has to say yes first."""
        known = self._runs[call.id]
        if known.status is ToolStatus.WAITING:
            return None
        if refused := self._refused.get(call.id):
            return refused
        if known.status is ToolStatus.APPROVED:
            if await self._services.db.read_inline(
                lambda tx: self._comes_to_something_else(tx, known), by=self._draft.by
            ):
                return ToolOutput(CALL_OUTDATED, failed=True)
            await self._change(call.id, status=ToolStatus.RUNNING)
        # Asked for each call: the conversation may have been shared since the last one.
        audience = await self._services.db.read_inline(self._find_audience, by=self._draft.by)
        caller = replace(
            self._caller,
            audience=audience,
            tell=partial(self._report_progress, call.id),
            quote=partial(self._quote, call.id),
        )
        return await self._registry.run(replace(call, arguments=known.arguments), caller)

    def rest_hint(self, call: ToolCall) -> str:
        """Say how the model gets the rest of a result that is too long."""
        can_read = any(tool.name == read_tool_result.READ_TOOL_RESULT for tool in self.tool_definitions())
        return read_tool_result.read_on_hint(call.id) if can_read else ask_for_less(call)

    async def record_result(self, ended: ToolEnded) -> None:
        """Write down what a call gave, or why it was not run, after all that was told while it ran."""

        def write(tx: Tx, ours: bool) -> None:
            if ours:
                self._write_result(tx, ended)

        if not await self._services.recorder.finish(self._draft, write):
            raise LeaseLost

    async def take_notes(self) -> Sequence[str]:
        """Return what the person told the model since it was last asked; it counts as read from now on."""
        # Read each time: it may have been said to another process.
        notes = (
            await self._services.db.read_inline(lambda tx: with_all_notes(tx, self.reply), by=self._draft.by)
        ).notes
        fresh = [note for note in notes if not note.taken]
        if fresh:
            taken = [replace(note, taken=True) for note in notes]
            self._draft.reply = replace(self.reply, notes=taken)
            for note in fresh:
                self._draft.add_event(ReplyNoted(self.reply.id, NoteView(note.id, note.text, taken=True)))
            self._services.recorder.mark_changed(self._draft, urgent=True)
        return [note.text for note in fresh]

    def resume(self, tx: Tx, call: Call) -> ResumePoint | None:
        """Return where a reply goes on that waited for a person; None for one that begins."""
        runs = tool_runs.hide_unreadable_results(tx, tool_runs.list_of_reply(tx, self.reply.id))
        steps = tool_runs.list_steps(tx, self.reply.id)
        if not steps:
            return None
        self._runs = {run.id: run for run in runs}
        usage = self.reply.usage or NO_USAGE
        so_far = StepTotals(usage, text=not self._draft.is_empty, call_ids={run.id for run in runs})
        past: list[Sequence[ToolCall]] = []
        for said in steps[:-1]:
            step, results = rebuild_step(said, runs, so_far)
            call = step.append_to(call, [results[tool_call] for tool_call in step.calls])
            past.append(step.calls)
            so_far = step.totals()
        step, results = rebuild_step(steps[-1], runs, so_far)
        known = with_notes(call, [note.text for note in self.reply.notes if note.taken])
        return ResumePoint(known, step, results, past, seconds=tool_seconds(runs))

    def _find_audience(self, tx: Tx) -> Principal:
        return find_audience(tx, self.reply.conversation_id)

    def _write_step(self, tx: Tx, said: ToolStep, calls: Sequence[ToolCall]) -> dict[str, ToolRun]:
        self._check_lease(tx)
        rows = [self._new_run(tx, call, said.step, place) for place, call in enumerate(calls)]
        tool_runs.add_step(tx, self.reply, said, rows, project_id=self._caller.project_id)
        self._publish_calls(tx, rows)
        return {row.id: row for row in rows}

    def _new_run(self, tx: Tx, call: ToolCall, step: int, place: int) -> ToolRun:
        effect = self._registry.effect_of(call.name, self._caller)
        # Nobody is asked about a call that cannot be run: the model is told at once what is wrong with it.
        preview = self._preview(tx, call) if self._registry.check(call, self._caller) is None else None
        is_valid = preview is not None
        waits = is_valid and needs_approval(tx, call.name, effect, conversation_id=self.reply.conversation_id)
        return ToolRun(
            reply_id=self.reply.id,
            id=call.id,
            step=step,
            place=place,
            at=len(self._draft.text),
            name=call.name,
            arguments=preview.arguments if preview else call.arguments,
            changed=False,
            effect=effect,
            status=ToolStatus.WAITING if waits else ToolStatus.RUNNING,
            result="",
            length=0,
            local_only=False,
            quotes=[],
            ms=None,
            attachments=[],
            tables=[],
            saved=[],
            user_id=self._draft.by.user_id,
            decided_by=None,
            expires_at=now() + APPROVAL_TTL if waits else None,
            created_at=now(),
            summary=preview.summary if preview else "",
        )

    def _preview(self, tx: Tx, call: ToolCall) -> CallPreview | None:
        """Return a call as it will run: what a person is shown is exactly that. None where it cannot be."""
        caller = replace(self._caller, audience=self._find_audience(tx))
        self._refused.pop(call.id, None)
        try:
            return self._registry.preview(tx, call, caller)
        except TertuliaError as error:
            self._refused[call.id] = refused_output(error)
            return None

    def _comes_to_something_else(self, tx: Tx, run: ToolRun) -> bool:
        """Tell whether what a call is about was changed since the person was asked."""
        preview = self._preview(tx, ToolCall(run.id, run.name, run.arguments)) if run.summary else None
        # Notes on how words were read stand at the end, and the arguments have no words any more.
        return preview is not None and not run.summary.startswith(preview.summary)

    def _write_result(self, tx: Tx, ended: ToolEnded) -> None:
        result = ended.result
        pictures = [add_attachment(tx, self.reply.conversation_id, picture) for picture in result.pictures]
        changed = tool_runs.change(
            tx,
            self.reply.id,
            ended.call.id,
            status=ended_status(ended, self._runs[ended.call.id]),
            result=result.text,
            length=len(result.whole or result.text),
            local_only=result.local_only,
            quotes=sorted(result.quotes),
            ms=ended.ms,
            attachments=pictures,
            tables=list(result.tables),
            saved=list(result.saved),
            written=list(result.written),
            is_private=result.is_private,
            expires_at=None,
            ended_at=now(),
        )
        if changed is None:
            return
        if result.whole:
            tool_runs.save_full_result(tx, self.reply.id, ended.call.id, result.whole)
        if result.memories:
            note_uses(tx, result.memories - list_told_memories(tx, self.reply.id), at=now())
        quoted = result.quotes | result.files | result.memories
        tool_sources.add_sources(tx, self.reply.id, changed.id, quoted)
        self._publish_calls(
            tx, [tool_sources.erase_if_source_deleted(tx, self.reply, changed, log=self._services.events)]
        )

    async def _change(self, call_id: str, *, status: ToolStatus) -> None:
        def change(tx: Tx) -> None:
            self._check_lease(tx)
            changed = tool_runs.change(tx, self.reply.id, call_id, status=status)
            if changed is not None:
                self._publish_calls(tx, [changed])

        await self._services.db.write(change, by=self._draft.by)

    def _check_lease(self, tx: Tx) -> None:
        """Raise when someone else took the reply over: nothing is to run twice."""
        if not store.hold_run(tx, self.reply.id, worker=self._services.worker):
            raise LeaseLost

    def _publish_calls(self, tx: Tx, runs: Sequence[ToolRun]) -> None:
        publish_tool_calls(tx, self.reply.conversation_id, runs, services=self._services)

    async def _quote(self, call_id: str, file_ids: Collection[str]) -> None:
        quoted = partial(
            tool_sources.add_sources, reply_id=self.reply.id, call_id=call_id, source_ids=list(file_ids)
        )
        await self._services.db.write(quoted, by=self._draft.by)

    def _report_progress(self, call_id: str, text: str, share: float | None = None) -> None:
        self._draft.add_event(ReplyToolOutput(self.reply.id, call_id, text, share))
        self._services.recorder.mark_changed(self._draft)


def rebuild_step(
    said: ToolStep, runs: Sequence[ToolRun], so_far: StepTotals
) -> tuple[AgentStep, dict[ToolCall, ToolOutput]]:
    """Return a step as it was, with what those of its tools gave that have run."""
    mine = [run for run in runs if run.step == said.step]
    calls = {run.id: ToolCall(run.id, run.name, run.arguments) for run in mine}
    step = AgentStep(
        so_far, [said.text] if said.text else [], blocks=said.thought, calls=list(calls.values())
    )
    return step, {
        calls[run.id]: output_of_ended_call(run) for run in mine if run.status not in OPEN_CALL_STATUSES
    }


def tool_seconds(runs: Sequence[ToolRun]) -> float:
    """Return how long tools have run; those of one step ran at once."""
    longest: dict[int, int] = {}
    for run in runs:
        longest[run.step] = max(longest.get(run.step, 0), run.ms or 0)
    return sum(longest.values()) / 1000


def output_of_ended_call(run: ToolRun) -> ToolOutput:
    """Return what a model is told of a call that has ended, however it did."""
    said = {
        ToolStatus.DENIED: f"{CALL_DENIED} Their reason: {run.result}" if run.result else CALL_DENIED,
        ToolStatus.EXPIRED: CALL_EXPIRED,
        ToolStatus.STOPPED: CALL_STOPPED,
        ToolStatus.UNKNOWN: CALL_OUTCOME_UNKNOWN,
    }
    done = run.status is ToolStatus.DONE
    return ToolOutput(said.get(run.status, run.result), failed=not done, local_only=run.local_only)


def ended_status(ended: ToolEnded, run: ToolRun) -> ToolStatus:
    """Return how a call ended; whether one that was cut off has changed something, nobody knows."""
    if ended.result.unknown and run.effect == Effect.SIDE and run.status is not ToolStatus.WAITING:
        return ToolStatus.UNKNOWN
    return ToolStatus.FAILED if ended.result.failed else ToolStatus.DONE


def publish_tool_calls(
    tx: Tx, conversation_id: str, runs: Sequence[ToolRun], *, services: TurnServices
) -> None:
    """Tell whoever listens how calls stand."""
    bodies = [
        encode_event(ReplyToolCall(run.reply_id, ToolCallView.of(run.to_visible_call()))) for run in runs
    ]
    services.events.append(tx, conversation_id, bodies)
    event_publisher.publish_waiting_calls(tx, conversation_id, log=services.events)
