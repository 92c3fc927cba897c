"""Files under random hands while they are indexed: at rest, the index agrees exactly with the files."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import fake_embedder
from tests.effort import HEALTH_CHECKS, effort
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.search_world import hits, indexed
from tests.world import World

from tertulia.infra.db import Tx
from tertulia.search.factory import open_indexes

WORDS = ("walrus", "zebra", "axolotl", "heron")
PATHS = ("a.md", "b.md", "docs/c.md")
#: One move: what is done, to which path, with which word, and whether indexing goes on before the next.
moves = st.tuples(
    st.sampled_from(["write", "write", "delete", "rename", "flag", "anew", "hold", "release"]),
    st.sampled_from(PATHS),
    st.sampled_from(WORDS),
    st.sampled_from([0.0, 0.0, 0.01, 0.35]),
)


@dataclass
class Model:
    """What the files must be, beside what they are."""

    shelf: Shelf
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    structure: bool = True

    async def write(self, path: str, word: str) -> None:
        content = "\n\n".join(f"# Part {n}\n\n" + f"The {word} of part {n} rests. " * 90 for n in range(2))
        if path in self.files:
            file_id = self.files[path][0]
            assert (await self.shelf.replace(file_id, content)).status_code == 200
        else:
            file_id = (await self.shelf.write(path, content))["id"]
        self.files[path] = (file_id, word)

    async def delete(self, path: str, _word: str) -> None:
        if path in self.files:
            assert await self.shelf.delete(self.files.pop(path)[0]) == 204

    async def rename(self, path: str, word: str) -> None:
        target = f"moved/{word}.md"
        if path in self.files and target not in self.files:
            file_id, inside = self.files.pop(path)
            moved = await self.shelf.person.post(f"{self.shelf.url}/{file_id}/move", {"path": target})
            assert moved.status_code == 200, moved.text
            self.files[target] = (file_id, inside)

    async def flag(self, _path: str, _word: str) -> None:
        self.structure = not self.structure
        body = {"structure": self.structure}
        assert (
            await self.shelf.person.client.patch("/api/retrieval/preferences", json=body)
        ).status_code == 200

    async def anew(self, _path: str, _word: str) -> None:
        answer = await self.shelf.person.post(f"/api/projects/{self.shelf.project_id}/index")
        assert answer.status_code == 202


async def play(steps: list[tuple[str, str, str, float]], place: Path, fake: FakeEmbedder) -> None:
    fake.open.set()
    async with World.open(place) as world:
        model = Model(await Shelf.of(await world.person(role="owner")))
        for move, path, word, pause in steps:
            if move == "hold":
                fake.open.clear()
            elif move == "release":
                fake.open.set()
            else:
                await getattr(model, move)(path, word)
            await asyncio.sleep(pause)
        fake.open.set()
        await indexed(world)
        await agrees(world, model)


async def agrees(world: World, model: Model) -> None:
    """Hold the index against the files."""
    expected = {path: file_id for path, (file_id, _) in model.files.items()}
    assert await world.db.read(sources_in, by=None) == expected
    words = open_indexes(world.db).words
    counts = await world.db.read(lambda tx: [*counts_in(tx), words.count_chunks(tx)], by=None)
    assert counts[0] == counts[1] == counts[2] == counts[3], counts
    for word in WORDS:
        found = await hits(
            model.shelf.person, f"{word} rests", model.shelf.project_id, parts=["lexical"], limit=100
        )
        there = {hit["location"]["path"] for hit in found if word in hit["content"]}
        same = {path for path, (_, inside) in model.files.items() if inside == word}
        # Texts that are the same are shown once, at the best of their places.
        assert there <= same
        assert bool(there) is bool(same)


def sources_in(tx: Tx) -> dict[str, str]:
    paths = tx.column("SELECT path FROM sources ORDER BY id")
    return dict(zip(paths, tx.column("SELECT source_id FROM sources ORDER BY id"), strict=True))


def counts_in(tx: Tx) -> list[int]:
    return [
        int(tx.value(sql))
        for sql in (
            "SELECT count(*) FROM chunks",
            "SELECT count(*) FROM vectors AS v JOIN chunks AS c ON c.id = v.chunk AND c.source = v.source",
            "SELECT coalesce(sum(chunk_count), 0) FROM sources",
        )
    ]


@settings(max_examples=effort(5), suppress_health_check=HEALTH_CHECKS)
@given(steps=st.lists(moves, min_size=3, max_size=14))
def test_at_rest_the_index_agrees_with_the_files(
    steps: list[tuple[str, str, str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        fake = FakeEmbedder()
        fake_embedder.use(monkeypatch, fake)
        with tempfile.TemporaryDirectory() as place:
            await play(steps, Path(place) / "data", fake)

    asyncio.run(run())
