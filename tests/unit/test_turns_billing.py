"""What replies cost is written into the books of their workspace, while that is there."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.world import add_person
from tests.written_rounds import closed_reply

from tertulia.conversations.domain import Policy, Round
from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.models.calls import Usage
from tertulia.turns.billing import charge_deleted_reply
from tertulia.turns.domain import Charge

pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "tertulia.db")
    yield database
    database.close()


async def charge_deleted(db: Database, by: Principal) -> int:
    """Charge a reply that is there no more, and return how many entries the books have then."""
    round_ = Round("rnd_1", by.workspace_id, "cnv_1", None, 1, Policy.EVERYONE, by.user_id, now())
    reply = replace(closed_reply(round_, "openai/x"), usage=Usage(10, 10))
    charge = Charge(1.0, personal=False)
    await db.write(lambda tx: charge_deleted_reply(tx, reply, charge), by=by)
    return await db.read(lambda tx: tx.value("SELECT count(*) FROM spending"), by=None)


async def test_a_deleted_reply_is_charged_to_its_workspace(db: Database) -> None:
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    assert await charge_deleted(db, ada) == 1


async def test_one_whose_workspace_is_deleted_too_is_charged_to_nobody(db: Database) -> None:
    assert await charge_deleted(db, Principal("usr_gone", "wsp_gone", Role.OWNER)) == 0
