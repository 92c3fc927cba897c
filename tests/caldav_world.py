"""A person with a calendar at a server: changes of theirs, syncs, and what both sides have."""

from dataclasses import dataclass
from typing import Any

from tertulia.calendars import event_store
from tertulia.calendars.caldav import object_texts
from tertulia.calendars.caldav.accounts import CalDavAccounts, NewAccount
from tertulia.calendars.caldav.sync import CalendarSync
from tertulia.calendars.domain import CalendarObject, PendingChange
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.jobs import payload_by
from tests.accounts_door import ok
from tests.caldav_server import TOKEN, StandIn, event_text
from tests.world import Json, Person


@dataclass
class CalDavPerson:
    """Somebody with one calendar at a server."""

    db: Database
    person: Person
    calendar_id: str
    #: What does the jobs of this process.
    person_sync: CalendarSync

    @classmethod
    async def connected(
        cls, accounts: CalDavAccounts, person: Person, url: str, **secret: str
    ) -> "CalDavPerson":
        """Connect an account with one calendar."""
        account = NewAccount(url, **(secret or {"token": TOKEN}))
        calendar_ids = await accounts.connect(account, by=person.principal)
        return cls(accounts.db, person, calendar_ids[0], accounts.sync)

    @property
    def by(self) -> Principal:
        return self.person.principal

    @property
    def payload(self) -> Json:
        """What a job of the calendar is given."""
        return payload_by(self.by, calendar_id=self.calendar_id)

    async def sync(self) -> Json:
        """Sync by hand, and return what was done."""
        return ok(await self.person.post(f"/api/calendars/{self.calendar_id}/sync"))

    async def try_sync(self) -> Json:
        """Sync by hand where that fails, and return the error."""
        answered = await self.person.post(f"/api/calendars/{self.calendar_id}/sync")
        assert answered.status_code >= 400, answered.text
        return answered.json()["error"]

    async def objects(self) -> list[CalendarObject]:
        """Return all events as they are stored."""
        return await self.db.read(lambda tx: event_store.list_of_calendar(tx, self.calendar_id), by=self.by)

    async def titles(self) -> list[str]:
        return sorted(found.title for found in await self.objects())

    async def find(self, uid: str) -> CalendarObject:
        return next(found for found in await self.objects() if found.uid == uid)

    async def add(self, uid: str, title: str, *lines: str) -> None:
        """Make an event here, to be sent later."""
        ics = event_text(uid, title, *lines)

        def write(tx: Tx) -> None:
            added = object_texts.add_text(tx, self.calendar_id, uid=uid, ics=ics)
            event_store.set_pending(tx, added, PendingChange.CREATE)

        await self.db.write(write, by=self.by)

    async def edit(self, uid: str, before: str, after: str) -> None:
        """Replace some words in the text of an event, to be sent later."""

        def write(tx: Tx) -> None:
            found = event_store.find_by_uids(tx, self.calendar_id, [uid])[uid]
            assert before in found.ics, found.ics
            ics = found.ics.replace(before, after)
            pending = (
                PendingChange.CREATE
                if found.pending is PendingChange.CREATE or not found.href
                else PendingChange.UPDATE
            )
            columns = object_texts.describe(ics)[0]
            event_store.set_text(tx, found.id, ics=ics, columns=columns, pending=pending)

        await self.db.write(write, by=self.by)

    async def delete(self, uid: str) -> None:
        """Delete an event here for good, to be told later."""

        def write(tx: Tx) -> None:
            found = event_store.find_by_uids(tx, self.calendar_id, [uid])[uid]
            event_store.set_pending(tx, found.id, PendingChange.DELETE)

        await self.db.write(write, by=self.by)

    async def calendar(self) -> dict[str, Any]:
        """Return the calendar as it is stored."""
        sql = """SELECT name, color, problem, is_writable, sync_token, ctag FROM calendars
                 WHERE id = :id AND workspace_id = :workspace"""
        names = ("name", "color", "problem", "is_writable", "sync_token", "ctag")
        row = (await self.db.read(lambda tx: tx.rows(sql, id=self.calendar_id), by=self.by))[0]
        return dict(zip(names, row, strict=True))


def titles_at(server: StandIn) -> list[str]:
    """Return the titles of all events at a stand-in."""
    return sorted(
        line[8:].strip()
        for text in server.texts().values()
        for line in text.splitlines()
        if line.startswith("SUMMARY:")
    )
