"""Decisions about people are exact, whichever processes take them at the same moment."""

import asyncio
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tertulia.accounts import deletion, login_verification, members, users
from tertulia.accounts.domain import ClientInfo, MemberStatus
from tertulia.accounts.errors import TooManyAttempts, WrongCredentials
from tertulia.accounts.throttle import FREE_SIGN_INS_PER_ACCOUNT
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tests.databases import open_database
from tests.world import add_person

pytestmark = pytest.mark.both_engines

ADA, BEN = "ada@example.org", "ben@example.org"


@pytest.fixture
def processes(tmp_path: Path) -> Generator[list[Database]]:
    """Return the databases of two processes, which are one database."""
    opened = [open_database(tmp_path / "shared.db") for _ in range(2)]
    yield opened
    for db in opened:
        db.close()


@pytest.fixture
def slow_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everybody who counts owners think about it for a moment, so that decisions overlap."""
    count = members.count_active_owners

    def count_slowly(*arguments: Any, **options: Any) -> int:
        found = count(*arguments, **options)
        time.sleep(0.15)
        return found

    monkeypatch.setattr(members, "count_active_owners", count_slowly)


async def add_owners(db: Database) -> tuple[Principal, Principal]:
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email=ADA)
    ben, _ = await add_person(db, role=Role.OWNER, workspace=ada.workspace_id, email=BEN)
    return ada, ben


async def delete_ada(db: Database) -> None:
    await deletion.delete_account_as_operator(db, email=ADA)


async def suspend_ada(db: Database) -> None:
    await users.set_status(db, email=ADA, status=MemberStatus.SUSPENDED)


@pytest.mark.usefixtures("slow_count")
@pytest.mark.parametrize("decide", [delete_ada, suspend_ada])
async def test_a_workspace_keeps_an_owner_whoever_decides_at_once(
    processes: list[Database], decide: Callable[[Database], Any]
) -> None:
    here, there = processes
    ada, ben = await add_owners(here)
    ends = await asyncio.gather(
        decide(here),
        there.write(lambda tx: members.change(tx, ben.user_id, role=Role.MEMBER, status=None), by=ada),
        return_exceptions=True,
    )
    left = await here.read(lambda tx: members.count_active_owners(tx, ada.workspace_id), by=None)

    assert left == 1
    assert [isinstance(end, TertuliaError) for end in ends].count(True) == 1


async def test_guesses_at_a_password_are_counted_together(processes: list[Database]) -> None:
    await add_owners(processes[0])

    async def guess(number: int) -> str:
        try:
            await login_verification.verify_login(
                ADA, f"guess {number}", client=ClientInfo("192.0.2.7", "test"), db=processes[number % 2]
            )
        except (WrongCredentials, TooManyAttempts) as refused:
            return type(refused).__name__
        return "let in"

    ends = await asyncio.gather(*(guess(number) for number in range(2 * FREE_SIGN_INS_PER_ACCOUNT)))
    assert ends.count("WrongCredentials") == FREE_SIGN_INS_PER_ACCOUNT
    assert ends.count("TooManyAttempts") == FREE_SIGN_INS_PER_ACCOUNT
