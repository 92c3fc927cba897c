"""Pages of PostgreSQL's index of words are destroyed: it is made anew while meanings are searched."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from tests.engines.postgres import PLAIN_ROLE, PostgresServer
from tests.files_world import Shelf
from tests.search_world import contents, hits, indexed, search, until
from tests.world import World

pytestmark = pytest.mark.postgres

PAGE_BYTES = 8_192
FILES = 3


@pytest.fixture
def server() -> Generator[PostgresServer]:
    server = PostgresServer.create()
    yield server
    server.close()


@pytest.fixture
async def world(server: PostgresServer, tmp_path: Path) -> AsyncGenerator[World]:
    key = "a secret key of this test"
    async with World.open(tmp_path / "data", DATABASE_URL=server.url(), TERTULIA_SECRET_KEY=key) as world:
        yield world


def destroy(server: PostgresServer, relation: str) -> None:
    """Overwrite all pages of a table or an index, as a bad disk would."""
    with server.connect_as_superuser(PLAIN_ROLE) as connection:
        [(name,)] = connection.execute("SELECT pg_relation_filepath(%s::regclass)", [relation]).fetchall()
    server.stop()
    path = server.folder / "data" / str(name)
    path.write_bytes(b"\xff" * path.stat().st_size)
    server.start()


@pytest.mark.parametrize("relation", ["chunk_words", "chunk_words_by_word", "chunk_words_pkey"])
async def test_a_damaged_index_of_words_is_made_anew(
    server: PostgresServer, world: World, relation: str
) -> None:
    shelf = await Shelf.of(await world.person(role="owner"))
    for number in range(FILES):
        await shelf.write(f"{number}.md", f"Walrus number {number} eats clams.")
    await indexed(world, meanings=False)
    destroy(server, relation)

    async def is_mended() -> bool:
        return not (await search(shelf.person, "walrus clams", shelf.project_id))["broken"]

    await search(shelf.person, "walrus clams", shelf.project_id)
    await shelf.write("new.md", "The zebra eats grass.")
    await until(is_mended)
    await until(lambda: contents(shelf.person, "zebra grass", shelf.project_id, parts=["lexical"]))
    assert len(await hits(shelf.person, "walrus clams", shelf.project_id, parts=["lexical"])) == FILES
