"""A real server with each collection in a project, spoken to through its public API."""

import asyncio
import json
import os
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from bench.processes import ServerUnderTest, running
from tests.world import add_person

from evals.conversations import Conversation, document
from evals.corpus import CorpusFile
from evals.expansions import UTILITY_MODEL, expanding_provider
from tertulia.core.principal import Role
from tertulia.infra.db.opening import open_database
from tertulia.settings import Settings

Json = dict[str, Any]
AT_ONCE = 25
POLL_SECONDS = 1.0


class IndexingStopped(Exception):
    """Nothing more is being indexed although not all of it is."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """How far the index has come."""

    ready: int
    failed: int
    total: int
    chunks: int
    #: Chunks that have their meanings too, those of other projects included.
    embedded: int

    @property
    def settled(self) -> int:
        """Return how many need no more work."""
        return self.ready + self.failed

    @property
    def is_whole(self) -> bool:
        """Tell whether nothing is left to be done."""
        return 0 < self.total <= self.settled


@dataclass(frozen=True, slots=True)
class Project:
    """One project of a running server, and someone who may search it."""

    client: httpx2.Client
    id: str

    def upload(self, files: Sequence[CorpusFile]) -> Iterator[int]:
        """Add files under their paths; yields how many are there so far."""
        for start in range(0, len(files), AT_ONCE):
            some = files[start : start + AT_ONCE]
            parts = [("files", (one.path, one.content.encode())) for one in some]
            told = checked(self.client.post(f"/api/projects/{self.id}/files", files=parts))
            if told["skipped"]:
                raise RuntimeError(f"not every file was taken: {told['skipped']}")
            yield start + len(some)

    def is_empty(self) -> bool:
        """Tell whether nothing was put into it yet."""
        return checked(self.client.get(f"/api/projects/{self.id}/index"))["total"] == 0

    def import_conversation(self, conversation: Conversation) -> None:
        """Add a conversation to the project."""
        where = f"/api/conversations/import?project_id={self.id}"
        checked(self.client.post(where, content=json.dumps(document(conversation))))

    def indexing(self, *, patience_seconds: float = 300) -> Iterator[Indexed]:
        """Yield how far the index has come, until it is whole and stays so."""
        last, since = None, time.monotonic()
        while True:
            told = checked(self.client.get(f"/api/projects/{self.id}/index"))
            stats = checked(self.client.get("/api/memory/debug/stats"))
            now = Indexed(told["ready"], told["failed"], told["total"], told["chunks"], stats["totalVectors"])
            if now != last:
                last, since = now, time.monotonic()
            elif now.is_whole:
                return
            elif time.monotonic() - since > patience_seconds:
                raise IndexingStopped(f"{now.settled} of {now.total} are indexed, and no more are coming")
            yield now
            time.sleep(POLL_SECONDS)

    def set_expansion(self, *, on: bool) -> None:
        """Say whether queries that ask for it are expanded by the utility model."""
        flags = {"multi_query": on, "hyde": on}
        checked(self.client.patch("/api/retrieval/preferences", json=flags))

    def search(
        self, query: str, *, parts: Sequence[str] | None, limit: int = 10, expand: bool = False
    ) -> list[Json]:
        """Return the hits, the best first; without `parts` everything that search has is used."""
        body: Json = {"query": query, "limit": limit, "expand": expand}
        body |= {} if parts is None else {"parts": list(parts)}
        return checked(self.client.post(f"/api/projects/{self.id}/search", json=body))["hits"]


@contextmanager
def projects_in(place: Path, names: Sequence[str]) -> Generator[dict[str, Project]]:
    """Serve a folder with an owner and projects until the block ends; they are made where there are none.

    `TERTULIA_*`, `RAG_*` and `DATABASE_*` variables reach the server, so that settings can be tried out.
    """
    data_dir, note = place / "data", place / "projects.json"
    if data_dir.exists() and not note.exists():
        raise RuntimeError(f"An earlier run did not fill {place} to its end. Remove it, and run again.")
    data_dir.mkdir(parents=True, exist_ok=True)
    known: Json = (
        json.loads(note.read_text()) if note.exists() else {"token": owner_token(data_dir), "ids": {}}
    )
    tried = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("TERTULIA_", "RAG_", "DATABASE_"))
    }
    env = tried | {"TERTULIA_DATA_DIR": str(data_dir), "TERTULIA_UTILITY_MODEL": f"openai/{UTILITY_MODEL}"}
    headers = {"Authorization": f"Bearer {known['token']}"}
    with (
        expanding_provider() as provider,
        running(ServerUnderTest(data_dir, provider.url, env=env)) as server,
        httpx2.Client(base_url=server.url, headers=headers, timeout=120, trust_env=False) as client,
    ):
        for name in names:
            if name not in known["ids"]:
                known["ids"][name] = checked(client.post("/api/projects", json={"name": name}))["id"]
        yield {name: Project(client, known["ids"][name]) for name in names}
        # Only what was filled without a fault is used again.
        note.write_text(json.dumps(known))


def owner_token(data_dir: Path) -> str:
    """Make the owner of a new server, and return their token."""
    return asyncio.run(
        add_owner(Settings(data_dir=data_dir, database_url=os.environ.get("DATABASE_URL", "")))
    )


async def add_owner(settings: Settings) -> str:
    """Make the owner of a new server, and return their token."""
    db = open_database(settings)
    try:
        return (await add_person(db, role=Role.OWNER, workspace=None, email="e@example.org"))[1]
    finally:
        db.close()


def checked(response: httpx2.Response) -> Json:
    """Return what a server answered, or say why it refused."""
    if response.is_error:
        raise RuntimeError(f"{response.request.method} {response.url.path}: {response.text[:500]}")
    return response.json()
