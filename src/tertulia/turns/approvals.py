"""Approvals: people say yes or no to tool calls that change something."""

import asyncio
import logging
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from tertulia.conversations import access, rounds, tool_runs
from tertulia.conversations.audience import find_audience
from tertulia.conversations.domain import Reply, ToolStatus
from tertulia.conversations.tool_runs import ToolRun
from tertulia.core.clock import now
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal
from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.infra.db import Tx
from tertulia.models.calls import ToolCall
from tertulia.tools import grants
from tertulia.tools.domain import ToolCaller
from tertulia.turns import store
from tertulia.turns.errors import AlreadyDecided, ApprovedArgumentsInvalid, NotYourApproval
from tertulia.turns.idempotency import IdempotentRequest, find_earlier_ids, record_request
from tertulia.turns.reply_tools import publish_tool_calls
from tertulia.turns.runner import ReplyRunner
from tertulia.turns.services import TurnServices

log = logging.getLogger("tertulia.turns")

#: How often it is looked whether somebody has waited too long for a yes.
APPROVAL_EXPIRY_INTERVAL_SECONDS = 20.0


class Remember(StrEnum):
    """For how long a yes counts."""

    ONCE = "once"
    CONVERSATION = "conversation"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    """A person's answer to a call that waits."""

    approve: bool
    #: JSON to use instead of what the model wrote.
    arguments: str | None = None
    remember: Remember = Remember.ONCE
    #: What the model is told when the answer is no.
    reason: str = ""


class Approvals:
    """Takes in what people decide."""

    def __init__(self, services: TurnServices, runner: ReplyRunner) -> None:
        self._services = services
        self._runner = runner

    async def decide(
        self,
        reply_id: str,
        call_id: str,
        decision: ApprovalDecision,
        *,
        key: str | None = None,
        by: Principal,
    ) -> ToolRun:
        """Say yes or no to one call; its reply goes on once nothing of it waits any more."""
        if decision.arguments is not None:
            check_arguments(decision.arguments)
        request = IdempotentRequest.of(key, "decide", reply_id, call_id, decision)
        return await self._services.db.write(
            lambda tx: self._decide(tx, reply_id, call_id, decision, request), by=by
        )

    async def expire_forever(self) -> None:
        """Let replies go on for whose tools nobody has said yes in time, for ever."""
        while True:
            try:
                await self.expire_approvals()
            except TertuliaError as error:
                log.warning("Calls that waited too long could not be ended yet: %s", error)
            await asyncio.sleep(APPROVAL_EXPIRY_INTERVAL_SECONDS)

    async def expire_approvals(self) -> None:
        """Let replies go on for whose tools nobody has said yes in time: each call once, whoever looks."""
        for call, person in await self._services.db.read(list_expired_calls, by=None):
            # As that person: one who decides at this moment comes before or after, never at the same time.
            await self._services.db.write(
                partial(self._expire_call, reply_id=call.reply_id, call_id=call.id), by=person
            )

    def _decide(
        self, tx: Tx, reply_id: str, call_id: str, decision: ApprovalDecision, request: IdempotentRequest
    ) -> ToolRun:
        reply = access.get_reply(tx, reply_id)
        access.get_for_writing(tx, reply.conversation_id)
        run = tool_runs.find(tx, reply.id, call_id)
        if run is None:
            raise NotFound("call")
        if run.user_id != tx.by.user_id:
            raise NotYourApproval
        if find_earlier_ids(tx, request) is not None:
            return run
        if run.status is not ToolStatus.WAITING:
            raise AlreadyDecided
        columns = self._with_preview(tx, run, reply, decision_columns(decision, run))
        record_request(tx, request, reply.conversation_id, [run.id])
        if decision.approve and decision.remember is not Remember.ONCE:
            only_here = decision.remember is Remember.CONVERSATION
            grants.add(tx, run.name, reply.conversation_id if only_here else None)
        return self._resolve_call(tx, run, reply, decided_by=tx.by.user_id, **columns)

    def _with_preview(
        self, tx: Tx, run: ToolRun, reply: Reply, columns: dict[str, object]
    ) -> dict[str, object]:
        """Return what a decision changes, with arguments that a person wrote as they will run."""
        arguments, registry = columns.get("arguments"), self._services.tool_registry
        if not isinstance(arguments, str):
            return columns
        project_id = access.get_for_reading(tx, reply.conversation_id).project_id
        caller = ToolCaller(
            tx.by,
            project_id,
            reply.conversation_id,
            model_is_local=False,
            audience=find_audience(tx, reply.conversation_id),
        )
        call = ToolCall(run.id, run.name, arguments)
        # What cannot be run at all is told to the model, which knows what it is for.
        if registry.check(call, caller):
            return columns | {"summary": ""}
        preview = registry.preview(tx, call, caller)
        return columns | {"arguments": preview.arguments, "summary": preview.summary}

    def _resolve_call(self, tx: Tx, run: ToolRun, reply: Reply, **values: object) -> ToolRun:
        changed = tool_runs.change(tx, run.reply_id, run.id, expires_at=None, **values) or run
        publish_tool_calls(tx, reply.conversation_id, [changed], services=self._services)
        if not tool_runs.count_waiting(tx, run.reply_id):
            self._runner.resume(tx, run.reply_id)
        return changed

    def _expire_call(self, tx: Tx, reply_id: str, call_id: str) -> None:
        """End a call that waits, unless somebody decided about it just now."""
        run, reply = tool_runs.find(tx, reply_id, call_id), rounds.find_reply(tx, reply_id)
        if run is not None and reply is not None and run.status is ToolStatus.WAITING:
            self._resolve_call(tx, run, reply, status=ToolStatus.EXPIRED, ended_at=now())


def list_expired_calls(tx: Tx) -> list[tuple[ToolRun, Principal]]:
    """Return the calls that have waited too long, and on whose behalf each is to run."""
    calls = tool_runs.list_expired_approvals(tx)
    runs = {call.reply_id: store.find_run_of_anyone(tx, call.reply_id) for call in calls}
    return [(call, run.principal) for call in calls if (run := runs[call.reply_id]) is not None]


def decision_columns(decision: ApprovalDecision, run: ToolRun) -> dict[str, object]:
    """Return what a decision changes of a call."""
    if not decision.approve:
        return {"status": ToolStatus.DENIED, "result": decision.reason, "ended_at": now()}
    if decision.arguments is None or decision.arguments == run.arguments:
        return {"status": ToolStatus.APPROVED}
    return {"status": ToolStatus.APPROVED, "arguments": decision.arguments, "changed": True}


def check_arguments(arguments: str) -> None:
    """Raise unless arguments are a JSON object."""
    try:
        JsonReader(JsonObject).read(arguments)
    except JsonUnreadable:
        raise ApprovedArgumentsInvalid from None
