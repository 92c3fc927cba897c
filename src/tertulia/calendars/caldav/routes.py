"""Accounts at servers of calendars, and syncing by hand, over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.calendars.caldav.accounts import CalDavAccounts
from tertulia.calendars.caldav.schemas import AccountChangeBody, AccountList, AccountView, SyncView
from tertulia.calendars.caldav.sync import CalendarSync
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router


async def _accounts(request: Request) -> CalDavAccounts:
    return get_part(request, CalDavAccounts)


async def _sync(request: Request) -> CalendarSync:
    return get_part(request, CalendarSync)


Accounts = Annotated[CalDavAccounts, Depends(_accounts)]
Sync = Annotated[CalendarSync, Depends(_sync)]
router = Router(prefix="/api", tags=["calendars"])


@router.post("/calendars/{calendar_id}/sync")
async def sync_calendar(calendar_id: str, me: Member, sync: Sync) -> SyncView:
    """Sync a calendar with its server right now, and say what was done."""
    report = await sync.sync_now(calendar_id, by=me)
    return SyncView.of(report, pending=await sync.count_pending(calendar_id, by=me))


@router.get("/calendar/accounts")
async def list_calendar_accounts(me: Me, accounts: Accounts) -> AccountList:
    """List your accounts at servers of calendars."""
    found = await accounts.list_accounts(by=me)
    return AccountList(accounts=[AccountView.model_validate(account) for account in found])


@router.put("/calendar/accounts/{account_id}")
async def change_calendar_account(
    account_id: str, body: AccountChangeBody, me: Member, accounts: Accounts
) -> AccountView:
    """Change an account. A new password or token is tried first; calendars that are new there are added."""
    return AccountView.model_validate(await accounts.change(account_id, body.to_change(), by=me))


@router.delete("/calendar/accounts/{account_id}", status_code=204)
async def remove_calendar_account(account_id: str, me: Member, accounts: Accounts) -> None:
    """Forget an account with its calendars; on the server they stay as they are."""
    await accounts.remove(account_id, by=me)
