"""A project with files in it, for tests that go through the API."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tertulia.infra.db import Tx
from tests.world import Json, Person, World


@dataclass
class Shelf:
    """The files of one project, as one person sees them."""

    person: Person
    project_id: str

    @classmethod
    async def of(cls, person: Person, name: str = "Papers") -> "Shelf":
        made = await person.post("/api/projects", {"name": name})
        return cls(person, made.json()["id"])

    @property
    def url(self) -> str:
        return f"/api/projects/{self.project_id}/files"

    def seen_by(self, person: Person) -> "Shelf":
        return Shelf(person, self.project_id)

    async def write(self, path: str, content: str, **more: Any) -> Json:
        """Write a text, and return the file."""
        answer = await self.person.post(self.url, {"path": path, "content": content, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()["files"][0]

    async def send(self, *files: tuple[str, bytes], **fields: str) -> Json:
        """Send files as a form, and return how it went."""
        answer = await self.post_form(*files, **fields)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def post_form(self, *files: tuple[str, bytes], **fields: str) -> httpx2.Response:
        return await self.person.client.post(
            self.url, data=fields, files=[("files", (path, data)) for path, data in files]
        )

    async def read(self, file_id: str, **query: Any) -> Json:
        answer = await self.person.get(f"{self.url}/{file_id}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def bytes_of(self, file_id: str, **headers: str) -> httpx2.Response:
        return await self.person.get(f"{self.url}/{file_id}/content", headers=headers)

    async def replace(self, file_id: str, content: str, **query: Any) -> httpx2.Response:
        return await self.person.client.put(f"{self.url}/{file_id}", json={"content": content}, params=query)

    async def delete(self, file_id: str) -> int:
        return (await self.person.delete(f"{self.url}/{file_id}")).status_code

    async def page(self, **query: Any) -> Json:
        answer = await self.person.get(self.url, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def paths(self, **query: Any) -> list[str]:
        return [file["path"] for file in (await self.page(**query))["files"]]


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """Return an archive with these members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return packed.getvalue()


def blobs_in(data_dir: Path) -> list[Path]:
    """Return every blob that lies on disk, whole or not."""
    return [path for path in (data_dir / "blobs").rglob("*") if path.is_file()]


async def stored(world: World) -> list[tuple[int, bool]]:
    """Return the size of all contents, and whether each lies in the database."""

    def find(tx: Tx) -> list[tuple[int, bool]]:
        sizes = tx.column("SELECT size FROM contents ORDER BY hash")
        inline = tx.column("SELECT data IS NOT NULL FROM contents ORDER BY hash")
        return sorted(zip(sizes, map(bool, inline), strict=True))

    return await world.db.read(find, by=None)


async def waiting(world: World, file_id: str) -> list[int]:
    """Return how often a file was queued for the index; empty when it is not to be found."""
    sql = "SELECT revision FROM sources WHERE kind = 'file' AND source_id = :id"
    return await world.db.read(lambda tx: tx.column(sql, id=file_id), by=None)
