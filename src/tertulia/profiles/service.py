"""Consenting to a profile, writing it and deleting it: always by its person, on all their devices."""

from tertulia.accounts import audit
from tertulia.conversations.events import encode_event
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic
from tertulia.live.personal_events import ProfileChanged
from tertulia.profiles import store
from tertulia.profiles.domain import UserProfile
from tertulia.profiles.errors import NoConsent


def give_consent(tx: Tx, *, log: EventLog) -> None:
    """Let the caller have a profile, from now on; nothing changes where they had agreed before."""
    if store.add(tx):
        audit.record(tx, "profile_consent_given", subject_id=tx.by.user_id)
        publish_change(tx, log=log)


def revoke_consent(tx: Tx, *, log: EventLog) -> None:
    """Delete the caller's profile with all that came of it; nothing changes where they have none."""
    if store.delete(tx):
        audit.record(tx, "profile_consent_revoked", subject_id=tx.by.user_id)
        publish_change(tx, log=log)


def change_profile(tx: Tx, values: JsonObject, *, log: EventLog) -> UserProfile:
    """Set the given columns of the caller's profile, or raise `NoConsent`."""
    profile = store.change(tx, values)
    if profile is None:
        raise NoConsent
    publish_change(tx, log=log)
    return profile


def publish_change(tx: Tx, *, log: EventLog) -> None:
    """Tell the caller's other devices that there is something to fetch, and nobody what it is."""
    log.append(tx, member_topic(tx.by.workspace_id, tx.by.user_id), [encode_event(ProfileChanged())])
