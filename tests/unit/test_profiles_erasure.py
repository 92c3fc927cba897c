"""A revoked profile is looked for in every byte of the database's files."""

import random
from functools import partial
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.world import add_person

from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.infra.db.sqlite.compaction import truncate_wal
from tertulia.infra.events import EventLog
from tertulia.profiles import service

pytestmark = pytest.mark.sqlite

CANARY = "zyzzogeton"
TEXTS = ("coding_style", "project_goals", "domain", "constraints", "freeform_notes")


def count_canaries(folder: Path) -> int:
    return sum(path.read_bytes().count(CANARY.encode()) for path in folder.iterdir())


async def consenting_members(db: Database, log: EventLog, count: int) -> list[Principal]:
    home, found = None, list[Principal]()
    for number in range(count):
        who, _ = await add_person(db, role=Role.MEMBER, workspace=home, email=f"p{number}@example.org")
        home = who.workspace_id
        await db.write(partial(service.give_consent, log=log), by=who)
        found.append(who)
    return found


@pytest.mark.parametrize("longest", [200, 1_500])
async def test_a_revoked_profile_is_in_no_byte_after_the_next_checkpoint(
    tmp_path: Path, longest: int
) -> None:
    """Rows that grow and shrink beside each other move from page to page."""
    dice = random.Random(longest)
    db = open_database(tmp_path / "tertulia.db")
    log = EventLog(db)
    ada, *others = await consenting_members(db, log, 30)
    for _ in range(120):
        who = dice.choice([ada, dice.choice(others)])
        word = f"{CANARY} " if who is ada else "pelican "
        values = {name: word * dice.randint(0, longest // len(word)) for name in dice.sample(TEXTS, 2)}
        await db.write(partial(service.change_profile, values=values, log=log), by=who)
    assert count_canaries(tmp_path)

    await db.write(partial(service.revoke_consent, log=log), by=ada)
    assert truncate_wal(tmp_path / "tertulia.db")
    assert count_canaries(tmp_path) == 0
    noted = await db.read(lambda tx: tx.column("SELECT kind FROM deletions"), by=None)
    assert noted == ["profile"], "and what could be left in unused parts of pages is compacted away"
    db.close()
