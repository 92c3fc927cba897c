"""A profile is written by its person alone, with their consent, and goes with it."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.databases import open_database
from tests.world import add_person

from tertulia.accounts import audit, members
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic
from tertulia.profiles import service
from tertulia.profiles.access import find_own_profile
from tertulia.profiles.domain import UserProfile
from tertulia.profiles.errors import NoConsent
from tertulia.profiles.prompt_text import read_profile_for_prompt
from tertulia.search.profile_consent import has_profile_consent

T = TypeVar("T")
NOTES = "the canary sings at midnight"


@dataclass
class Diary:
    """A database, and what one person does with their profile in it."""

    db: Database
    log: EventLog
    me: Principal

    async def give(self) -> None:
        await self.db.write(partial(service.give_consent, log=self.log), by=self.me)

    async def revoke(self) -> None:
        await self.db.write(partial(service.revoke_consent, log=self.log), by=self.me)

    async def change(self, **values: Any) -> UserProfile:
        return await self.db.write(lambda tx: service.change_profile(tx, values, log=self.log), by=self.me)

    async def read(self, call: Callable[[Tx], T]) -> T:
        return await self.db.read(call, by=self.me)

    async def actions(self) -> list[str]:
        entries = await self.read(lambda tx: audit.list_newest(tx, after=None, limit=100))
        return [entry.action for entry in reversed(entries) if entry.action.startswith("profile")]

    async def told(self) -> list[str]:
        topic = member_topic(self.me.workspace_id, self.me.user_id)
        sql = "SELECT body FROM events WHERE topic = :topic"
        return await self.db.read(lambda tx: tx.column(sql, topic=topic), by=None)


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncGenerator[Diary]:
    db = open_database(tmp_path / "tertulia.db")
    me, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    yield Diary(db, EventLog(db), me)
    db.close()


async def other(ada: Diary, role: Role, *, workspace: str | None) -> Diary:
    who, _ = await add_person(ada.db, role=role, workspace=workspace, email=f"{role}@example.org")
    return Diary(ada.db, ada.log, who)


async def test_nothing_is_written_without_consent(ada: Diary) -> None:
    with pytest.raises(NoConsent, match="PUT /api/memory/consent"):
        await ada.change(freeform_notes=NOTES)
    assert await ada.read(find_own_profile) is None
    assert await ada.actions() == []
    assert await ada.told() == []


async def test_what_is_left_out_of_a_change_stays(ada: Diary) -> None:
    await ada.give()
    given = await ada.read(find_own_profile)
    assert given is not None
    assert given.updated_at is None

    await ada.change(preferred_languages=["Python", "Rust"], domain="harbours")
    changed = await ada.change(domain="", freeform_notes=NOTES)
    assert (changed.preferred_languages, changed.domain) == (("Python", "Rust"), "")
    assert changed.freeform_notes == NOTES
    assert changed.updated_at is not None
    assert changed.consented_at == given.consented_at
    assert await ada.read(find_own_profile) == changed


async def test_consent_that_is_given_again_changes_nothing(ada: Diary) -> None:
    await ada.give()
    before = await ada.change(freeform_notes=NOTES)
    await ada.give()
    assert await ada.read(find_own_profile) == before
    assert await ada.actions() == ["profile_consent_given"]


async def test_revoking_deletes_every_word_and_is_audited_without_any(ada: Diary) -> None:
    await ada.give()
    await ada.change(freeform_notes=NOTES)
    await ada.revoke()
    await ada.revoke()

    assert await ada.read(find_own_profile) is None
    assert await ada.actions() == ["profile_consent_given", "profile_consent_revoked"]
    entries = await ada.read(lambda tx: audit.list_newest(tx, after=None, limit=100))
    assert [entry.detail for entry in entries if entry.action.startswith("profile")] == [{}, {}]
    with pytest.raises(NoConsent):
        await ada.change(freeform_notes=NOTES)
    await ada.give()
    again = await ada.read(find_own_profile)
    assert again is not None
    assert again.freeform_notes == ""


async def test_ones_other_devices_hear_that_it_changed_and_nobody_what_it_says(ada: Diary) -> None:
    bob = await other(ada, Role.MEMBER, workspace=ada.me.workspace_id)
    await ada.give()
    await ada.change(freeform_notes=NOTES)
    await ada.revoke()
    assert await ada.told() == ['{"type":"profile.changed"}'] * 3
    assert await bob.told() == []


async def test_prompts_are_told_the_callers_own_profile_with_consent_alone(ada: Diary) -> None:
    bob = await other(ada, Role.ADMIN, workspace=ada.me.workspace_id)
    assert await ada.read(read_profile_for_prompt) is None
    await ada.give()
    assert await ada.read(read_profile_for_prompt) is None, "there is nothing to tell yet"
    written = await ada.change(freeform_notes=NOTES)

    assert await ada.read(read_profile_for_prompt) == written
    assert await bob.read(read_profile_for_prompt) is None
    anyone = ada.me.as_any_member()
    assert await ada.db.read(read_profile_for_prompt, by=anyone) is None
    await ada.revoke()
    assert await ada.read(read_profile_for_prompt) is None


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_has_a_profile_of_their_own(ada: Diary, role: Role) -> None:
    other_one = await other(ada, role, workspace=ada.me.workspace_id)
    await ada.give()
    mine = await ada.change(freeform_notes=NOTES)
    await other_one.give()
    await other_one.change(freeform_notes="Mine")
    await other_one.revoke()
    assert await ada.read(find_own_profile) == mine


async def test_a_profile_belongs_to_one_workspace_and_goes_with_the_membership(ada: Diary) -> None:
    there = await other(ada, Role.OWNER, workspace=None)
    who = Principal(ada.me.user_id, there.me.workspace_id, Role.MEMBER)
    add = partial(members.add, workspace_id=who.workspace_id, user_id=who.user_id, role=who.role)
    await ada.db.write(add, by=None)
    ada_there = Diary(ada.db, ada.log, who)
    await ada.give()
    here = await ada.change(freeform_notes=NOTES)
    assert await ada_there.read(find_own_profile) is None
    assert not await ada_there.read(has_profile_consent)

    await ada_there.give()
    await ada_there.change(freeform_notes="Elsewhere")
    assert await ada_there.read(has_profile_consent)
    await ada.db.write(lambda tx: members.remove(tx, who.user_id), by=there.me)
    assert await ada_there.read(find_own_profile) is None
    assert await ada.read(find_own_profile) == here
