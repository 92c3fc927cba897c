"""How much may be asked at once, and spent in a month. Checked by the one writer: no race beats it."""

from datetime import datetime

from tertulia.accounts.domain import WorkspaceSettings
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.settings import Settings
from tertulia.turns import store
from tertulia.turns.errors import SpendingLimitReached, TooManyReplies


def check_room(tx: Tx, lanes: int, *, settings: Settings, workspace: WorkspaceSettings) -> None:
    """Raise when so many more replies would be too many at once, for the person or the workspace."""
    mine, everyone = store.running(tx)
    own_limit = workspace.lanes_per_person or settings.lanes_per_person
    shared_limit = workspace.lanes_per_workspace or settings.lanes_per_workspace
    if mine + lanes > own_limit:
        raise TooManyReplies("You", own_limit)
    if everyone + lanes > shared_limit:
        raise TooManyReplies("Your workspace", shared_limit)


def check_money(tx: Tx, workspace: WorkspaceSettings) -> None:
    """Raise when the month's budget is spent."""
    for whose, limit, only_mine in budgets(workspace):
        spent, _ = store.committed(tx, month_start(), only_mine=only_mine)
        if spent >= limit:
            raise SpendingLimitReached(whose, limit)


def set_aside(
    tx: Tx, reply_id: str, amount: float, workspace: WorkspaceSettings, *, used: float = 0.0
) -> None:
    """Reserve what a reply may cost at most, of which `used` is spent already, or raise.

    A reply whose reservation does not fit may run only when no other has money
    set aside: so parallel replies cannot add up, and a budget is overshot by one call at most.
    """
    for whose, limit, only_mine in budgets(workspace):
        spent, reserved = store.committed(tx, month_start(), but=reply_id, only_mine=only_mine)
        fits = spent + reserved + amount <= limit
        if not fits and (reserved > 0 or spent + used >= limit):
            raise SpendingLimitReached(whose, limit)
    store.reserve(tx, reply_id, amount)


def budgets(workspace: WorkspaceSettings) -> list[tuple[str, float, bool]]:
    """Return the budgets that are set: whose, how much, and whether only the caller's spending counts."""
    both = [
        ("Your", workspace.monthly_limit_per_person_usd, True),
        ("The workspace's", workspace.monthly_limit_usd, False),
    ]
    return [(whose, limit, only_mine) for whose, limit, only_mine in both if limit is not None]


def month_start() -> datetime:
    """Return when the present month began."""
    return now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
