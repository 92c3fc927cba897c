"""What replies may cost, what they cost, and the months' limits. Checked by the one writer: no race beats it.

Before a model is asked, the most that it may cost is reserved; when its reply is final, what it cost is
written down as spending. Limits count both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.accounts import workspaces
from tertulia.accounts.domain import WorkspaceSettings
from tertulia.agents.agent_step import NO_USAGE
from tertulia.conversations import rounds
from tertulia.conversations.domain import Reply
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.models.calls import Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.cost import budgeted_cost_of
from tertulia.models.domain import Ability, Prices
from tertulia.models.errors import ProviderError, ProviderGarbled, ProviderSilent, StreamCut
from tertulia.turns import store
from tertulia.turns.domain import Charge, Reservation, Spending
from tertulia.turns.errors import SpendingLimitReached

#: Failures after which a provider may bill the prompt although nothing was heard.
PERHAPS_BILLED = (ProviderSilent, StreamCut, ProviderGarbled)


@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """How much may be spent in a month, and whether only the caller's spending counts."""

    whose: str
    limit: float
    only_mine: bool


def check_spending_limits(tx: Tx, workspace: WorkspaceSettings, asked: Sequence[ResolvedModel]) -> None:
    """Raise when the month's budget is spent and none of the models that are asked can do without it.

    Beside one that can, the others are refused one by one when their turn comes to be paid for.
    """
    refusals = [find_exceeded_limit(tx, workspace, resolved) for resolved in asked]
    if refusals and all(refusals):
        raise next(filter(None, refusals))


def find_exceeded_limit(
    tx: Tx, workspace: WorkspaceSettings, resolved: ResolvedModel
) -> SpendingLimitReached | None:
    """Return why a model cannot be paid for any more this month, if it cannot."""
    for budget in spending_limits_for(workspace, resolved):
        spent, _ = store.spent_and_reserved(tx, month_start(), only_mine=budget.only_mine)
        if spent >= budget.limit:
            return SpendingLimitReached(budget.whose, budget.limit)
    return None


def spending_limits_for(workspace: WorkspaceSettings, resolved: ResolvedModel) -> list[SpendingLimit]:
    """Return the budgets that a model is paid from: none where it is free.

    What answers at the caller's own connection is not the workspace's to pay.
    """
    own, shared = workspace.monthly_limit_per_person_usd, workspace.monthly_limit_usd
    found: list[SpendingLimit] = []
    if own is not None:
        found.append(SpendingLimit("Your", own, only_mine=True))
    if shared is not None and not resolved.is_personal:
        found.append(SpendingLimit("The workspace's", shared, only_mine=False))
    return [] if resolved.model.is_free else found


def month_start() -> datetime:
    """Return when the present month began."""
    return now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def reservation_for_start(
    reply: Reply, *, resolved: ResolvedModel, prompt_tokens: int, output_limit: int, cut: Usage
) -> Reservation:
    """Return what asking a model may cost at most, on top of what the reply cost before it waited.

    `cut` is what attempts may be billed for that were cut off.
    """
    prices, spent = resolved.model.prices, reply.cost or 0.0
    most = budgeted_cost_of(Usage(prompt_tokens + cut.input, output_limit + cut.output), prices)
    asked = prompt_tokens + cut.input + (reply.usage.input if reply.usage else 0)
    return Reservation(spent + most, spent, asked, prices, resolved.is_personal)


def reservation_for_step(
    resolved: ResolvedModel, *, prompt_tokens: int, output_limit: int, used: Usage, steps: int
) -> Reservation:
    """Return what one more step may cost at most, on top of what those before have used.

    `prompt_tokens` are those of all prompts. Where only the provider knows its prices, one more step
    is reserved like those before.
    """
    prices = resolved.model.prices
    most = budgeted_cost_of(Usage(prompt_tokens, used.output + output_limit), prices)
    spent = budgeted_cost_of(used, prices)
    amount = max(most, spent + spent / steps)
    return Reservation(amount, spent, prompt_tokens, prices, resolved.is_personal)


def reserve_spending(tx: Tx, reply_id: str, reservation: Reservation, *, resolved: ResolvedModel) -> None:
    """Reserve what a reply may cost at most, or raise.

    A reply whose reservation does not fit may run only when no other has money
    set aside: so parallel replies cannot add up, and a budget is overshot by one call at most.
    """
    for budget in spending_limits_for(workspaces.get_settings(tx), resolved):
        spent, reserved = store.spent_and_reserved(
            tx, month_start(), except_reply_id=reply_id, only_mine=budget.only_mine
        )
        fits = spent + reserved + reservation.amount <= budget.limit
        if not fits and (reserved > 0 or spent + reservation.spent >= budget.limit):
            raise SpendingLimitReached(budget.whose, budget.limit)
    store.write_reservation(tx, reply_id, reservation)


def estimate_cut_off_usage(
    reported: Usage | None, *, asked: int, output: int, prices: Prices | None
) -> Usage:
    """Return what a reply used that was cut off: what was reported, and by our count what came after it."""
    said = reported or Usage(0, 0)
    more = Usage(max(0, asked - said.input), max(0, output - said.output))
    dollars = None if said.cost is None else said.cost + budgeted_cost_of(more, prices)
    return replace(
        said, input=said.input + more.input, output=said.output + more.output, cost=dollars, estimated=True
    )


def usage_of_cut_attempt(reported: Usage | None, *, prompt_tokens: int) -> Usage:
    """Return what an attempt may be billed for that was cut off before a word: its prompt at least."""
    said = reported or NO_USAGE
    return Usage(max(said.input, prompt_tokens), said.output, estimated=True)


def add_cut_attempts(usage: Usage | None, cut: Usage, *, prices: Prices | None) -> Usage | None:
    """Return what was used together with what attempts may be billed for that were cut off."""
    if cut == NO_USAGE:
        return usage
    said = usage or NO_USAGE
    return estimate_cut_off_usage(
        usage, asked=said.input + cut.input, output=said.output + cut.output, prices=prices
    )


def was_turned_away(error: BaseException | None) -> bool:
    """Tell whether the provider would not even begin, so that there is nothing to bill."""
    return isinstance(error, ProviderError) and not isinstance(error, PERHAPS_BILLED)


def charge_for(
    cost: float | None, usage: Usage | None, *, resolved: ResolvedModel, reserved: float
) -> Charge:
    """Return what limits count for a reply: what it cost, or all that was reserved where nobody can know.

    A model that thinks may have done so out of sight before it was cut off, and its provider bills that.
    """
    known = cost or 0.0
    is_unsure = usage is not None and usage.estimated and Ability.THINKING in resolved.model.abilities
    return Charge(max(known, reserved) if is_unsure else known, resolved.is_personal)


def record_reply_spending(tx: Tx, reply: Reply, charge: Charge, *, project_id: str | None) -> None:
    """Write down what a reply cost; nothing where its model was never asked."""
    if reply.usage is not None:
        spent = Spending(
            user_id=tx.by.user_id,
            project_id=project_id,
            conversation_id=reply.conversation_id,
            model=reply.model,
            purpose=reply.kind,
            usage=reply.usage,
            cost=reply.cost or 0.0,
            counted=charge.amount,
            personal=charge.personal,
        )
        store.add_spending(tx, spent)


def charge_deleted_reply(tx: Tx, reply: Reply, charge: Charge) -> None:
    """Write down what a reply cost although it was deleted: the provider bills it all the same.

    Books go with their workspace: where that is deleted too, there is nowhere to write it.
    """
    if rounds.find_reply(tx, reply.id) is None and workspaces.has_current(tx):
        record_reply_spending(tx, reply, charge, project_id=None)


def record_chore_spending(
    tx: Tx,
    *,
    project_id: str | None,
    conversation_id: str,
    resolved: ResolvedModel,
    usage: Usage,
    purpose: str,
) -> None:
    """Write down what a chore of the utility model cost."""
    dollars = budgeted_cost_of(usage, resolved.model.prices)
    spent = Spending(
        user_id=tx.by.user_id,
        project_id=project_id,
        conversation_id=conversation_id,
        model=resolved.model.id,
        purpose=purpose,
        usage=usage,
        cost=dollars,
        counted=dollars,
        personal=resolved.is_personal,
    )
    store.add_spending(tx, spent)
