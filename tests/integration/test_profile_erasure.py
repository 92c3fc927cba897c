"""A revoked profile is looked for in every file of the data directory of a running server."""

import asyncio
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.faults.truth import SQLITE_TABLES, rows
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import until
from tests.world import Person, World

from tertulia.infra.db.packed_values import unpack_text
from tertulia.infra.db.sqlite.compaction import truncate_wal

pytestmark = pytest.mark.sqlite

CANARY = "zyzzogeton"


def files_with_canary(data_dir: Path) -> dict[str, int]:
    """Return how often each file of the data directory has the canary in its bytes."""
    files = (path for path in data_dir.rglob("*") if path.is_file())
    counts = {path.name: path.read_bytes().count(CANARY.encode()) for path in files}
    return {name: count for name, count in counts.items() if count}


def packed_texts_with_canary(database: Path) -> list[str]:
    """Return the texts with the canary among those that are kept compressed, whose bytes do not show it."""
    tables = [str(row[0]) for row in rows(database, SQLITE_TABLES)]
    cells = (cell for table in tables for row in rows(database, f"SELECT * FROM {table}") for cell in row)
    return [text for cell in cells if CANARY in (text := unpacked(cell))]


def unpacked(cell: object) -> str:
    """Return a text that is kept compressed; of all else nothing."""
    if not isinstance(cell, bytes):
        return ""
    with suppress(zlib.error, UnicodeDecodeError):
        return unpack_text(cell)
    return ""


async def write_profile(person: Person) -> None:
    ok(await person.put("/api/memory/consent", {"consented": True}))
    for times in (60, 10, 30):
        context = {"domain": f"{CANARY} " * (times // 3)}
        body = {"freeform_notes": f"The {CANARY} sings. " * times, "context": context}
        ok(await person.put("/api/memory/profile", body))


async def checkpoint(world: World) -> None:
    """Empty the log as the server does by itself within half a minute; whoever reads just now delays it."""
    await world.server.parts.reclaimer.reclaim(may_compact=False)
    await until(lambda: asyncio.to_thread(truncate_wal, world.settings.database))


async def test_a_revoked_profile_is_in_no_byte_of_the_data_directory(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("discreet", Script(reply="Noted."))
    bea = await world.person(like=ada)
    ok(await bea.put("/api/memory/consent", {"consented": True}))
    ok(await bea.put("/api/memory/profile", {"freeform_notes": "Something that stays: pelicans"}))
    await write_profile(ada)
    await ada.ask("Hello", models=["openai/discreet"])
    assert CANARY in str(provider.requests("discreet")[0].body)
    assert files_with_canary(world.settings.data_dir)

    ok(await ada.put("/api/memory/consent", {"consented": False}))
    await checkpoint(world)
    assert files_with_canary(world.settings.data_dir) == {}
    assert packed_texts_with_canary(world.settings.database) == []
    assert (await world.server.parts.reclaimer.read_status()).deletions == 1
    await world.server.parts.reclaimer.reclaim(may_compact=True)
    assert (await world.server.parts.reclaimer.read_status()).is_clean
    await ada.ask("Hello again", models=["openai/discreet"])
    assert CANARY not in str(provider.requests("discreet")[1].body)
    kept = ok(await bea.get("/api/memory/profile"))["profile"]
    assert "pelicans" in kept["freeform_notes"]


async def test_a_profile_is_in_no_byte_once_its_account_is_deleted(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)
    await write_profile(bea)
    assert (await ada.delete(f"/api/members/{bea.principal.user_id}/account")).status_code == 204
    await checkpoint(world)
    assert files_with_canary(world.settings.data_dir) == {}
