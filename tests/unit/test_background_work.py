"""What a server does beside its answers ends before the server does."""

import asyncio
from pathlib import Path
from threading import Event, Timer

import httpx2
from tests.databases import prepare_database
from tests.world import add_person, environment

from tertulia.core.principal import Role
from tertulia.server import create_app
from tertulia.settings import Settings


async def test_what_was_to_be_written_beside_answers_is_written_before_the_application_ends(
    tmp_path: Path,
) -> None:
    prepare_database(tmp_path / "tertulia.db")
    app = create_app(Settings.from_env(environment(tmp_path, None)))
    before = asyncio.all_tasks()
    async with app.router.lifespan_context(app):
        db = app.state.running.db
        _, token = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
        transport = httpx2.ASGITransport(app=app)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(transport=transport, base_url="http://test", headers=headers) as ada:
            free = Event()
            busy = asyncio.create_task(db.write(lambda _: free.wait(10), by=None))
            await asyncio.sleep(0)
            assert (await ada.post("/api/search/global", json={"query": "lamp"})).status_code == 200
            Timer(0.05, free.set).start()
    left = asyncio.all_tasks() - before
    await busy
    assert left <= {busy}
