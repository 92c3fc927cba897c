"""How much may be asked at once, and spent in a month. Checked by the one writer: no race beats it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tertulia.accounts import workspaces
from tertulia.accounts.domain import WorkspaceSettings
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.models.catalogue import ResolvedModel
from tertulia.settings import Settings
from tertulia.turns import store
from tertulia.turns.domain import Reservation
from tertulia.turns.errors import SpendingLimitReached, TooManyReplies


def check_concurrent_replies(tx: Tx, lanes: int, *, settings: Settings, workspace: WorkspaceSettings) -> None:
    """Raise when so many more replies would be too many at once, for the person or the workspace."""
    mine, everyone = store.count_running_replies(tx)
    own_limit = workspace.lanes_per_person or settings.lanes_per_person
    shared_limit = workspace.lanes_per_workspace or settings.lanes_per_workspace
    if mine + lanes > own_limit:
        raise TooManyReplies("You", own_limit)
    if everyone + lanes > shared_limit:
        raise TooManyReplies("Your workspace", shared_limit)


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


def reserve_spending(
    tx: Tx, reply_id: str, reservation: Reservation, *, resolved: ResolvedModel, used: float = 0.0
) -> None:
    """Reserve what a reply may cost at most, of which `used` is spent already, or raise.

    A reply whose reservation does not fit may run only when no other has money
    set aside: so parallel replies cannot add up, and a budget is overshot by one call at most.
    """
    for budget in spending_limits_for(workspaces.get_settings(tx), resolved):
        spent, reserved = store.spent_and_reserved(
            tx, month_start(), except_reply_id=reply_id, only_mine=budget.only_mine
        )
        fits = spent + reserved + reservation.amount <= budget.limit
        if not fits and (reserved > 0 or spent + used >= budget.limit):
            raise SpendingLimitReached(budget.whose, budget.limit)
    store.write_reservation(tx, reply_id, reservation)


@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """How much may be spent in a month, and whether only the caller's spending counts."""

    whose: str
    limit: float
    only_mine: bool


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
