"""What people do in a round: ask, edit, regenerate, continue, merge, judge, stop."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from tertulia.accounts import workspaces
from tertulia.context import receipts
from tertulia.conversations import access, publish, rounds
from tertulia.conversations import service as conversations
from tertulia.conversations.attachments import add_attachment
from tertulia.conversations.domain import Conversation, Reply, ReplyKind, ReplyStatus, Seat
from tertulia.conversations.errors import NothingToContinue, StillRunning
from tertulia.conversations.reading import so_far
from tertulia.conversations.rounds import Answer, FullRound
from tertulia.conversations.writing import Question, add_reply, open_round
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.events.log import last_seq
from tertulia.models.catalogue import Resolved
from tertulia.models.errors import ModelUnknown, ProviderError
from tertulia.turns import limits, store
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Ask
from tertulia.turns.draft import Draft
from tertulia.turns.errors import NothingToRead, ShuttingDown
from tertulia.turns.idempotency import PaidRequest, made_before, remember
from tertulia.turns.recovery import keep_interrupted
from tertulia.turns.runner import Runner
from tertulia.turns.seats import Seating, invited_in, seats_for
from tertulia.turns.titles import name_by_question

CUT_SHORT = (ReplyStatus.INTERRUPTED, ReplyStatus.STOPPED, ReplyStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Opened:
    """A round that was opened or added to; its news comes in the events after `last_event_id`."""

    conversation: Conversation
    round: FullRound
    last_event_id: int
    #: What replies that are still being written have said, up to that event.
    heard: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    #: The reply that was added to the round, where one was.
    added: str = ""


class Turns:
    """The verbs of a round, with what they need."""

    def __init__(self, desk: Desk, runner: Runner) -> None:
        self._desk = desk
        self._runner = runner

    async def start_turn(self, ask: Ask, *, request: PaidRequest | None = None, by: Principal) -> Opened:
        """Open a round for `ask` and queue its replies: all of it happens, or none; once a key."""
        by.require(Role.MEMBER)
        request = request or PaidRequest(ask.idempotency_key, fingerprint(ask))
        if again := await self.find_earlier(request, by=by):
            return again
        self._check_open()
        most = self._desk.settings.models_per_round
        seating = await seats_for(ask, by=by, db=self._desk.db, models=self._desk.models, most=most)
        return await self._desk.db.write(lambda tx: self._open(tx, ask, seating, request), by=by)

    async def edit(self, round_id: str, ask: Ask, *, by: Principal) -> Opened:
        """Ask a question anew with other words: a branch beside the old one, which stays."""

        def place(tx: Tx) -> Ask:
            round_ = access.get_round(tx, round_id)
            answers = rounds.get_full(tx, round_).answers
            question = rounds.question_of(tx, round_id)
            return replace(
                ask,
                conversation_id=round_.conversation_id,
                parent_id=question.parent_id,
                invited=ask.invited or invited_in(answers),
            )

        request = PaidRequest.of(ask.idempotency_key, "edit", round_id, replace(ask, idempotency_key=None))
        return await self.start_turn(await self._desk.db.read(place, by=by), request=request, by=by)

    async def regenerate(
        self,
        reply_id: str,
        *,
        model: str | None,
        leave_out: tuple[str, ...] = (),
        key: str | None = None,
        by: Principal,
    ) -> Opened:
        """Have a reply written once more, by another model or without some of what it was shown."""
        request = PaidRequest.of(key, "regenerate", reply_id, model, leave_out)
        if again := await self.find_earlier(request, by=by):
            return again
        resolved = await self._desk.models.resolve(model, by=by) if model else None
        known = resolved.model.id if resolved else None
        asked = [resolved] if resolved else await self._answering(reply_id, by=by)

        def seat(reply: Reply) -> Seat:
            lane = reply.lane if known in (None, reply.model) else str(known)
            return Seat(
                lane, known or reply.model, reply.effort, reply.temperature, reply.output_limit, leave_out
            )

        def add(tx: Tx) -> Opened:
            if again := opened_before(tx, request):
                return again
            reply = access.get_reply(tx, reply_id)
            access.get_for_writing(tx, reply.conversation_id)
            if not reply.status.is_final:
                raise StillRunning
            receipts.check_can_go_without(tx, reply.id, leave_out)
            return self._add(tx, reply.round_id, seat(reply), asked, request, kind=reply.kind)

        self._check_open()
        return await self._desk.db.write(add, by=by)

    async def continue_reply(self, reply_id: str, *, key: str | None = None, by: Principal) -> Opened:
        """Have a reply that was cut short go on; the new one begins with its text."""
        request = PaidRequest.of(key, "continue", reply_id)
        if again := await self.find_earlier(request, by=by):
            return again
        asked = await self._answering(reply_id, by=by)

        def add(tx: Tx) -> Opened:
            if again := opened_before(tx, request):
                return again
            reply = access.get_reply(tx, reply_id)
            full = rounds.get_full(tx, access.get_round(tx, reply.round_id))
            newest = [answer for answer in full.answers if answer.reply.lane == reply.lane][-1]
            if newest.reply.id != reply.id or newest.reply.status not in CUT_SHORT:
                raise NothingToContinue
            left = tuple(reply.leave_out)
            seat = Seat(reply.lane, reply.model, reply.effort, reply.temperature, reply.output_limit, left)
            return self._add(tx, reply.round_id, seat, asked, request, kind=reply.kind, continues=newest)

        self._check_open()
        return await self._desk.db.write(add, by=by)

    async def read_all(
        self, round_id: str, *, model: str, kind: ReplyKind, key: str | None = None, by: Principal
    ) -> Opened:
        """Have one more model merge or judge the replies of a round."""
        request = PaidRequest.of(key, kind, round_id, model)
        if again := await self.find_earlier(request, by=by):
            return again
        resolved = await self._desk.models.resolve(model, by=by)
        known = resolved.model.id

        def add(tx: Tx) -> Opened:
            if again := opened_before(tx, request):
                return again
            full = rounds.get_full(tx, access.get_round(tx, round_id))
            answers = [answer for answer in full.answers if answer.reply.kind is ReplyKind.ANSWER]
            if not any(answer.message and answer.message.content for answer in answers):
                raise NothingToRead
            return self._add(tx, round_id, Seat(f"{kind}:{known}", known), [resolved], request, kind=kind)

        self._check_open()
        return await self._desk.db.write(add, by=by)

    async def stop_round(self, round_id: str, *, by: Principal) -> None:
        """Stop every reply of a round that is being written; what was said is kept."""

        def find(tx: Tx) -> list[str]:
            round_ = access.get_round(tx, round_id)
            access.get_for_writing(tx, round_.conversation_id)
            return self._request_stop(tx, rounds.stored_replies(tx, round_.id))

        self._runner.stop(await self._desk.db.write(find, by=by))

    async def stop_reply(self, reply_id: str, *, by: Principal) -> None:
        """Stop one reply; what it said is kept."""

        def find(tx: Tx) -> list[str]:
            reply = access.get_reply(tx, reply_id)
            access.get_for_writing(tx, reply.conversation_id)
            return self._request_stop(tx, [reply])

        self._runner.stop(await self._desk.db.write(find, by=by))

    def _check_open(self) -> None:
        if self._runner.draining:
            raise ShuttingDown

    async def find_earlier(self, request: PaidRequest, *, by: Principal) -> Opened | None:
        """Return what this request did when it came before, without asking anyone again."""
        if request.key is None:
            return None
        return await self._desk.db.read(lambda tx: opened_before(tx, request), by=by)

    async def _answering(self, reply_id: str, *, by: Principal) -> list[Resolved]:
        """Return who answers for the model of a reply; nobody where it is gone, as its attempt will say."""
        model = (await self._desk.db.read(lambda tx: access.get_reply(tx, reply_id), by=by)).model
        try:
            return [await self._desk.models.resolve(model, by=by)]
        except (ModelUnknown, ProviderError):
            return []

    def _open(self, tx: Tx, ask: Ask, seating: Seating, request: PaidRequest) -> Opened:
        if again := opened_before(tx, request):
            return again
        self._check_limits(tx, len(seating.seats), seating.resolved)
        log = self._desk.events
        if ask.conversation_id is None:
            conversation = conversations.create(tx, log=log, project_id=ask.project_id)
        else:
            conversation = access.get_for_writing(tx, ask.conversation_id)
        question = Question(
            text=ask.message,
            seats=seating.seats,
            policy=ask.policy,
            parent_id=ask.parent_id,
            attachments=[add_attachment(tx, conversation.id, image) for image in ask.images],
        )
        full = open_round(tx, conversation, question, log=log)
        name_by_question(tx, conversation, log=log)
        self._queue(tx, [answer.reply for answer in full.answers])
        remember(tx, request, conversation.id, [full.round.id])
        begun = opened(tx, full)
        publish.used(tx, begun.conversation, log=log)
        return begun

    def _add(
        self,
        tx: Tx,
        round_id: str,
        seat: Seat,
        asked: list[Resolved],
        request: PaidRequest,
        *,
        kind: ReplyKind,
        continues: Answer | None = None,
    ) -> Opened:
        round_ = access.get_round(tx, round_id)
        access.get_for_writing(tx, round_.conversation_id)
        self._check_limits(tx, 1, asked)
        full = rounds.get_full(tx, round_)
        reply = add_reply(tx, full, seat, kind=kind, log=self._desk.events, continues=continues)
        begun = continues.message.content if continues and continues.message else ""
        self._queue(tx, [reply], begun=begun)
        remember(tx, request, round_.conversation_id, [round_.id, reply.id])
        added_to = rounds.get_full(tx, round_)
        return replace(opened(tx, added_to), heard=so_far(tx, [added_to]), added=reply.id)

    def _check_limits(self, tx: Tx, lanes: int, asked: list[Resolved]) -> None:
        workspace = workspaces.settings(tx)
        limits.check_room(tx, lanes, settings=self._desk.settings, workspace=workspace)
        limits.check_money(tx, workspace, asked)

    def _queue(self, tx: Tx, replies: list[Reply], *, begun: str = "") -> None:
        """Record the runs, and begin them as soon as they are safe."""
        for reply in replies:
            store.add_run(
                tx,
                reply_id=reply.id,
                conversation_id=reply.conversation_id,
                worker=self._runner.worker,
                lease_until=self._runner.lease(),
            )
        drafts = [Draft(reply, by=tx.by, begun=begun) for reply in replies]
        tx.after_commit(lambda: self._runner.begin(drafts))

    def _request_stop(self, tx: Tx, replies: list[Reply]) -> list[str]:
        running = [reply.id for reply in replies if not reply.status.is_final]
        store.request_stop(tx, running)
        for reply in replies:
            # Nobody works on a reply that waits, so it is ended here.
            if reply.status is ReplyStatus.WAITING and (run := store.find(tx, reply.id)):
                keep_interrupted(tx, reply, run, self._desk)
        return running


def opened(tx: Tx, full: FullRound) -> Opened:
    """Return a round with its conversation and where its news begins."""
    conversation = access.get_for_reading(tx, full.round.conversation_id)
    return Opened(conversation, full, last_seq(tx, conversation.id))


def opened_before(tx: Tx, request: PaidRequest) -> Opened | None:
    """Return the round that the same request opened or added to; raise when its key stands for another."""
    made = made_before(tx, request)
    if made is None:
        return None
    round_id, *added = made
    full = rounds.get_full(tx, access.get_round(tx, round_id))
    conversation = access.get_for_reading(tx, full.round.conversation_id)
    first = min((answer.reply.first_seq for answer in full.answers), default=0)
    return Opened(conversation, full, first, added="".join(added))


def fingerprint(ask: Ask) -> str:
    """Return what tells two messages apart: everything but the key."""
    return hashlib.sha256(msgspec.json.encode(replace(ask, idempotency_key=None))).hexdigest()
