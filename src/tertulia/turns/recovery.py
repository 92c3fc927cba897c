"""After a crash: replies that were begun are closed with what was said, those that were not are begun."""

from dataclasses import replace
from functools import partial

from tertulia.conversations import rounds
from tertulia.conversations.conversation_reader import read_partial_text
from tertulia.conversations.domain import Reply, ReplyStatus
from tertulia.core.clock import now
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.models.cost import cost_of
from tertulia.models.tokens import count
from tertulia.turns import finalisation, store
from tertulia.turns.billing import estimate_cut_off_usage
from tertulia.turns.domain import Charge, Run
from tertulia.turns.errors import ServerStopped
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.services import TurnServices
from tertulia.turns.settlement import failure_status, to_problem

#: What a reply is while its model is not being heard.
NOT_SPEAKING = (ReplyStatus.QUEUED, ReplyStatus.WAITING)


async def count_output(reply_id: str, services: TurnServices) -> int:
    """Return the tokens of what was heard of a reply: counting takes long, and nobody can write meanwhile."""

    def read(tx: Tx) -> tuple[str, str]:
        run = store.find_run_of_anyone(tx, reply_id)
        acting = tx.acting_for(run.principal) if run else None
        reply = rounds.find_reply(acting, reply_id) if acting else None
        if acting is None or reply is None or reply.status in NOT_SPEAKING:
            return "", ""
        return reply.model, "".join(read_partial_text(acting, reply))

    model, heard = await services.db.read(read, by=None)
    return await run_in_thread_if_long(partial(count, heard, model), chars=len(heard)) if heard else 0


def recover_run(tx: Tx, run: Run, services: TurnServices, *, output: int = 0) -> ReplyDraft | None:
    """Close a reply that was lost in the middle, with the tokens of its output; return one that can go on."""
    acting = tx.acting_for(run.principal)
    reply = rounds.find_reply(acting, run.reply_id)
    if reply is None:
        return None
    if reply.status in NOT_SPEAKING and not run.stop_requested:
        return resume_draft(acting, reply, run)
    close_cut_off(acting, reply, run, services, output=output)
    return None


def resume_draft(tx: Tx, reply: Reply, run: Run) -> ReplyDraft:
    """Return a reply with all that was heard of it, to be gone on with."""
    begun, thought = read_partial_text(tx, reply)
    charged = Charge(run.reserved, run.personal)
    return ReplyDraft(reply, by=tx.by, text_before=begun, thinking_before=thought, charge_before=charged)


def close_cut_off(tx: Tx, reply: Reply, run: Run, services: TurnServices, *, output: int = 0) -> None:
    """Close a reply with all the text that anyone has seen of it; one that waited knows what it has used."""
    text, thinking = read_partial_text(tx, reply)
    words = text + thinking
    problem = None if run.stop_requested else to_problem(ServerStopped(has_words=bool(words)))
    usage = reply.usage  # what it had used when it waited for a person
    if usage is None or reply.status is not ReplyStatus.WAITING:
        usage = estimate_cut_off_usage(usage, asked=run.asked_tokens, output=output, prices=run.prices)
    closed = replace(
        reply,
        status=failure_status(words) if problem else ReplyStatus.STOPPED,
        error=problem,
        usage=usage,
        cost=cost_of(usage, run.prices),
        finished_at=now(),
    )
    # The provider may bill the whole of what was set aside, and we cannot know: so limits count it.
    charge = Charge(run.reserved, run.personal)
    finalisation.finalise_reply(
        tx, closed, text=text, thinking=thinking, charge=charge, events=services.events
    )
