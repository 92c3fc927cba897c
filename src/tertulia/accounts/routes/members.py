"""Who is in the workspace, and inviting others."""

from tertulia.accounts import members, one_time_links
from tertulia.accounts.deletion import delete_account_by_admin
from tertulia.accounts.routes.account_router import account_router
from tertulia.accounts.workspace_schemas import (
    InvitationBody,
    InvitationList,
    InvitationView,
    MemberChange,
    MemberList,
    MemberView,
    NewInvitationView,
    ResetLinkView,
)
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Admin, Me

router = account_router()


@router.get("/members")
async def list_members(me: Me, db: Db) -> MemberList:
    """List everyone in the workspace."""
    found = await db.read(members.list_members, by=me)
    return MemberList(items=[MemberView.model_validate(member) for member in found])


@router.patch("/members/{user_id}")
async def change_member(user_id: str, body: MemberChange, me: Admin, db: Db) -> MemberView:
    """Give a member another role, or suspend or reinstate them."""
    changed = await db.write(
        lambda tx: members.change(tx, user_id, role=body.role, status=body.status), by=me
    )
    return MemberView.model_validate(changed)


@router.delete("/members/{user_id}", status_code=204)
async def remove_member(user_id: str, me: Admin, db: Db) -> None:
    """Take a member out of the workspace."""
    await db.write(lambda tx: members.remove(tx, user_id), by=me)


@router.delete("/members/{user_id}/account", status_code=204)
async def delete_members_account(user_id: str, me: Admin, db: Db) -> None:
    """Delete a member's account, on the whole server, with all that is their own."""
    await delete_account_by_admin(user_id, by=me, db=db)


@router.post("/members/{user_id}/reset-link", status_code=201)
async def create_reset_link(user_id: str, me: Admin, db: Db) -> ResetLinkView:
    """Make a link with which a member chooses a new password; it is shown only now."""
    made = await one_time_links.create_reset_link_as_admin(user_id, by=me, db=db)
    return ResetLinkView(token=made.secret, expires_at=made.link.expires_at)


@router.get("/invitations")
async def list_invitations(me: Admin, db: Db) -> InvitationList:
    """List the invitations that can still be used."""
    found = await db.read(one_time_links.list_invitations, by=me)
    return InvitationList(items=[InvitationView.of(time_link) for time_link in found])


@router.post("/invitations", status_code=201)
async def create_invitation(body: InvitationBody, me: Admin, db: Db) -> NewInvitationView:
    """Invite somebody; the token of their link is shown only now."""
    made = await db.write(
        lambda tx: one_time_links.create_invitation(tx, role=body.role, email=body.email), by=me
    )
    return NewInvitationView.made(made)


@router.delete("/invitations/{invitation_id}", status_code=204)
async def withdraw_invitation(invitation_id: str, me: Admin, db: Db) -> None:
    """Take an invitation back."""
    await db.write(lambda tx: one_time_links.withdraw_invitation(tx, invitation_id), by=me)
