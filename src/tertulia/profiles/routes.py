"""A person's own profile over HTTP: nothing here names anybody, so nobody reaches another's."""

from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.profiles import access, service
from tertulia.profiles.domain import UserProfile
from tertulia.profiles.schemas import (
    ConsentChange,
    ConsentView,
    OwnProfile,
    ProfileChange,
    UserProfileView,
)

router = Router(prefix="/api/memory", tags=["memory"])


@router.get("/profile")
async def get_profile(me: Me, db: Db) -> OwnProfile:
    """Return your own profile in this workspace; null without your consent."""
    profile = await db.read(access.find_own_profile, by=me)
    return OwnProfile(profile=profile and UserProfileView.of(profile), has_consent=profile is not None)


@router.put("/profile")
async def change_profile(body: ProfileChange, me: Me, db: Db, log: Log) -> UserProfileView:
    """Change your own profile; fields that are left out stay as they are, `""` and `[]` clear one.

    Without your consent nothing is stored: see `PUT /api/memory/consent`.
    """
    values = body.to_columns()
    changed = await db.write(lambda tx: service.change_profile(tx, values, log=log), by=me)
    return UserProfileView.of(changed)


@router.get("/consent")
async def get_consent(me: Me, db: Db) -> ConsentView:
    """Tell whether you agreed to having a profile in this workspace, and since when."""
    return to_consent_view(await db.read(access.find_own_profile, by=me))


@router.put("/consent")
async def change_consent(body: ConsentChange, me: Me, db: Db, log: Log) -> ConsentView:
    """Agree to having a profile, which models are then told; false deletes it with all that came of it."""

    def change(tx: Tx) -> ConsentView:
        decide = service.give_consent if body.consented else service.revoke_consent
        decide(tx, log=log)
        return to_consent_view(access.find_own_profile(tx))

    return await db.write(change, by=me)


def to_consent_view(profile: UserProfile | None) -> ConsentView:
    """Return what a profile, or that there is none, says of consent."""
    return ConsentView(consented=profile is not None, since=profile and profile.consented_at)
