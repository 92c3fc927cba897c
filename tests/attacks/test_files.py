"""Files as attackers send them: names that lead elsewhere, bombs, pages that run; and what must be gone."""

import asyncio
import io
import os
import struct
import time
import zipfile
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path

import httpx2
import pytest
from tests import documents
from tests.faults.truth import write_lock
from tests.files_world import Shelf, blobs_in, stored, zipped
from tests.process import ServerProcess
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

from tertulia.files.blob_cleaner import BlobCleaner

TRAVERSALS = [
    "../../etc/passwd",
    "..\\..\\windows\\system32\\x",
    "/etc/passwd",
    "C:\\x",
    "\\\\host\\share\\x",
    "a/../../b",
    "a/./b",
    "....//....//x/../y",
    "x\u202egnp.exe",
    "nul",
    "a\x00.txt",
    "a/\n/b",
    ".. /x",
    "../",
    "..",
]
CANARY = "the canary sings at midnight"


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


def everything_in(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))


@pytest.mark.parametrize("name", TRAVERSALS)
async def test_no_door_takes_a_name_that_leads_elsewhere(shelf: Shelf, tmp_path: Path, name: str) -> None:
    file = await shelf.write("folder/here.txt", "x")
    person, url = shelf.person, shelf.url
    archive = zipped(("good.txt", b"x"), (name, b"evil"))
    answers = [
        await person.post(url, {"path": name, "content": "evil"}),
        await person.post(f"{url}/{file['id']}/move", {"path": name}),
        await person.post(f"{url}/move", {"from_prefix": "folder", "to_prefix": f"{name}/x"}),
        await person.post(f"{url}/move", {"from_prefix": f"{name}/x", "to_prefix": "b"}),
        await person.client.delete(url, params={"prefix": f"{name}/x"}),
        await person.get(url, params={"prefix": f"{name}/x"}),
        await person.get(f"{url}/at", params={"path": name}),
    ]
    assert {answer.status_code for answer in answers} == {422}
    await shelf.send(("evil.zip", archive), unpack="true")
    if "\n" not in name and "\x00" not in name:
        await shelf.post_form((name, b"evil"))
        await shelf.post_form(("x.txt", b"evil"), prefix=f"{name}/x")

    for path in await shelf.paths():
        # A zip library ends a name at a NUL, and a form's reader may keep the last part of a Windows path.
        assert path in {"folder/here.txt", "good.txt", "a", "x"}
    assert {path.name for path in everything_in(tmp_path)}.isdisjoint({"passwd", "here.txt", "evil", "b"})


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("page.html", b"<!doctype html><script>alert(document.cookie)</script>"),
        ("image.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
        ("image.png", b"<html><script>alert(1)</script></html>"),
        ("x.xhtml", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
        ("x.js", b"alert(1)"),
        ("x.pdf", b"%PDF-1.4\n"),
        ("no-extension", b"<script>alert(1)</script>"),
    ],
)
async def test_what_could_run_is_served_to_be_saved_and_nothing_else(
    shelf: Shelf, name: str, data: bytes
) -> None:
    file = (await shelf.send((name, data)))["files"][0]
    served = await shelf.bytes_of(file["id"])
    assert served.content == data
    assert served.headers["content-type"] == "application/octet-stream"
    assert served.headers["content-disposition"].startswith("attachment")
    assert served.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert served.headers["x-content-type-options"] == "nosniff"


async def test_a_name_cannot_add_headers(shelf: Shelf) -> None:
    file = await shelf.write('a"; filename=evil.html; x="é;.txt', "x")
    disposition = (await shelf.bytes_of(file["id"])).headers["content-disposition"]
    assert (
        disposition == "attachment; filename*=UTF-8''a%22%3B%20filename%3Devil.html%3B%20x%3D%22%C3%A9%3B.txt"
    )


def overlapping(members: int, size: int) -> bytes:
    """Return an archive whose many members all unpack the same packed bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = b"\0" * size
    packed = packer.compress(raw) + packer.flush()
    sum_ = zlib.crc32(raw)
    facts = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 0x21, sum_, len(packed), size, 1, 0)
    body = b"PK\x03\x04" + facts + b"0" + packed
    directory = b""
    for number in range(members):
        name = b"%05d" % number
        about = struct.pack("<HHHHHHLLL", 20, 20, 0, 8, 0, 0x21, sum_, len(packed), size)
        directory += b"PK\x01\x02" + about + struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<HHHHLLH", 0, 0, members, members, len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def lying(size: int) -> bytes:
    """Return an archive with a member that says it is small and is not."""
    packed = bytearray(zipped(("small.txt", b"\0" * size)))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = packed.index(mark) + place
        packed[start : start + 4] = struct.pack("<L", 100)
    return bytes(packed)


def many(members: int) -> bytes:
    """Return an archive of very many empty files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(members):
            archive.writestr(f"{number}.txt", b"")
    return packed.getvalue()


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(lambda: zipped(("zeros", b"\0" * 60_000_000)), id="tight"),
        pytest.param(lambda: overlapping(5000, 10_000_000), id="overlapping"),
        pytest.param(lambda: many(10_001), id="many"),
        pytest.param(lambda: lying(20_000_000), id="lying"),
    ],
)
async def test_a_bomb_is_refused_before_it_goes_off(
    world: World, shelf: Shelf, bomb: Callable[[], bytes]
) -> None:
    archive = bomb()
    began = time.monotonic()
    answer = await shelf.send(("bomb.zip", archive), unpack="true")
    assert time.monotonic() - began < 5
    assert answer["files"] == []
    assert {one["code"] for one in answer["skipped"]} == {"archive_refused"}
    assert await stored(world) == []
    assert not list((world.settings.data_dir / "incoming").iterdir())


async def test_an_archive_never_unpacks_to_more_than_is_allowed(tmp_path: Path) -> None:
    async with World.open(tmp_path / "data", TERTULIA_LARGEST_ARCHIVE="3000000") as world:
        shelf = await Shelf.of(await world.person())
        archive = zipped(*((f"{number}.bin", os.urandom(1_100_000)) for number in range(3)))
        answer = await shelf.send(("large.zip", archive), unpack="true")
        assert [one["code"] for one in answer["skipped"]] == ["archive_refused"]
        assert blobs_in(tmp_path / "data") == []


async def test_an_archive_in_an_archive_stays_packed(shelf: Shelf) -> None:
    inner = zipped(("zeros", b"\0" * 9_000_000))
    for _ in range(4):
        inner = zipped(("inner.zip", inner))
    answer = await shelf.send(("outer.zip", inner), unpack="true")
    assert [file["path"] for file in answer["files"]] == ["inner.zip"]


def blob_bytes(world: World) -> bytes:
    """Return all that lies in the blob store."""
    return b"".join(path.read_bytes() for path in blobs_in(world.settings.data_dir))


@pytest.mark.parametrize("how", ["file", "folder", "project"])
async def test_what_is_deleted_is_gone_everywhere(world: World, ada: Person, how: str) -> None:
    shelf = await Shelf.of(ada)
    large = CANARY.encode() + b"\r\n" + b"padding\r\n" * 200_000
    answer = await shelf.send(("in/small.txt", CANARY.encode()), ("in/large.txt", large))
    for file in answer["files"]:
        await shelf.read(file["id"])
        await shelf.replace(file["id"], f"{CANARY}, again {'and again ' * 120_000}")
        await shelf.read(file["id"])
    assert CANARY.encode() in blob_bytes(world)

    if how == "file":
        assert [await shelf.delete(file["id"]) for file in answer["files"]] == [204, 204]
    elif how == "folder":
        assert (await ada.client.delete(shelf.url, params={"prefix": "in"})).status_code == 200
    else:
        assert (await ada.delete(f"/api/projects/{shelf.project_id}")).status_code == 204

    assert await stored(world) == []
    unused = "SELECT count(*) FROM unused_blobs"
    for _ in range(500):
        if not await world.db.read(lambda tx: tx.value(unused), by=None):
            break
        await asyncio.sleep(0.01)
    assert blobs_in(world.settings.data_dir) == []
    assert CANARY.encode() not in blob_bytes(world)
    for table in ("files", "file_versions", "contents", "unused_blobs", "sources"):
        sql = f"SELECT count(*) FROM {table}"
        assert await world.db.read(lambda tx, sql=sql: tx.value(sql), by=None) == 0, table


async def test_what_one_workspace_deletes_another_keeps(world: World, ada: Person) -> None:
    eve = await world.person(role="owner")
    hers, theirs = await Shelf.of(ada), await Shelf.of(eve)
    data = b"the same bytes " * 100_000
    mine = (await hers.send(("a.bin", data)))["files"][0]
    other = (await theirs.send(("a.bin", data)))["files"][0]
    assert len(blobs_in(world.settings.data_dir)) == 2
    assert await hers.delete(mine["id"]) == 204
    assert (await theirs.bytes_of(other["id"])).content == data
    assert (await hers.bytes_of(other["id"])).status_code == 404


async def test_what_a_crash_left_behind_is_swept(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with World.open(data) as world:
        shelf = await Shelf.of(await world.person())
        kept = (await shelf.send(("kept.bin", b"k" * 1_500_000)))["files"][0]
    (blob,) = blobs_in(data)
    left = [
        blob.with_name(f"{'0' * 64}-blb_left"),
        data / "blobs" / "unfinished" / "blb_half",
        data / "incoming" / "tmp_x",
    ]
    fresh = blob.with_name(f"{'1' * 64}-blb_fresh")
    for path in (*left, fresh):
        path.write_bytes(b"half")
    for path in (*left, blob):
        os.utime(path, (time.time() - 7200, time.time() - 7200))

    async with World.open(data) as world:
        for _ in range(500):
            if not any(path.exists() for path in left):
                break
            await asyncio.sleep(0.01)
        assert not any(path.exists() for path in left)
        assert fresh.exists()
        assert blob.exists()
        async with world.client(shelf.person.token) as again:
            served = await again.get(f"{shelf.url}/{kept['id']}/content")
        assert served.content == b"k" * 1_500_000


async def test_a_kill_between_the_bytes_and_their_row_leaves_nothing_for_good(apart: ServerProcess) -> None:
    person = await apart.person()
    shelf = await Shelf.of(person)
    kept = (await shelf.send(("kept.bin", b"k" * 1_500_000)))["files"][0]
    known = set(blobs_in(apart.data_dir))
    with write_lock(apart.database):
        sending = asyncio.create_task(shelf.post_form(("lost.bin", b"l" * 1_500_000)))
        left = await new_blob(apart.data_dir, known)
        apart.kill()
    with pytest.raises(httpx2.TransportError):
        await sending
    for path in (left, *known):
        os.utime(path, (time.time() - 7200, time.time() - 7200))

    await apart.start()

    for _ in range(500):
        if not left.exists():
            break
        await asyncio.sleep(0.02)
    assert set(blobs_in(apart.data_dir)) == known
    assert await shelf.paths() == ["kept.bin"]
    assert (await shelf.bytes_of(kept["id"])).content == b"k" * 1_500_000
    await person.client.aclose()


async def new_blob(data_dir: Path, known: set[Path]) -> Path:
    """Wait for a blob that is whole."""
    async with asyncio.timeout(10):
        while True:
            for path in set(blobs_in(data_dir)) - known:
                if path.parent.name != "unfinished":
                    return path
            await asyncio.sleep(0.01)


async def test_a_picture_that_would_overload_whoever_shows_it_says_so(shelf: Shelf) -> None:
    bomb, small = documents.png(100_000, 100_000), documents.png(2, 2)
    large = bomb + b"\0" * 1_500_000
    sent = (await shelf.send(("bomb.png", bomb), ("small.png", small), ("large.png", large)))["files"]

    said = "The picture is too large to show: 100000 by 100000 pixels."
    assert [file["problem"] for file in sent] == [said, "", said]
    assert (await shelf.read(sent[0]["id"]))["problem"] == said


async def test_what_is_wrong_with_a_picture_is_said_of_each_version(shelf: Shelf) -> None:
    file = (await shelf.send(("a.png", documents.png(100_000, 100_000))))["files"][0]
    better = (await shelf.send(("a.png", documents.png(2, 2))))["files"][0]
    assert (better["id"], better["version"], better["problem"]) == (file["id"], 2, "")

    again = await shelf.person.post(f"{shelf.url}/{file['id']}/versions/1/restore")
    assert "too large" in again.json()["problem"]
    moved = await shelf.person.post(f"{shelf.url}/{file['id']}/move", {"path": "b.txt"})
    assert "too large" in moved.json()["problem"]


async def test_a_store_that_fails_loses_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: BlobCleaner) -> None:
        raise OSError("the store is away")

    monkeypatch.setattr(BlobCleaner, "delete_unused", fail)
    file = (await shelf.send(("a.bin", b"a" * 1_500_000)))["files"][0]
    assert await shelf.delete(file["id"]) == 204
    assert (await shelf.send(("b.bin", b"b" * 1_500_000)))["files"][0]["size"] == 1_500_000


@pytest.fixture
async def apart(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[ServerProcess]:
    (tmp_path / "data").mkdir()
    async with ServerProcess.running(tmp_path / "data", provider) as server:
        yield server


def resident(server: ServerProcess) -> int:
    """Return the most memory that the server had so far, in bytes."""
    assert server.process
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


async def test_two_hundred_megabytes_pass_through_little_memory(apart: ServerProcess) -> None:
    person = await apart.person()
    shelf = await Shelf.of(person)
    warm = (await shelf.send(("warm.bin", os.urandom(1_500_000))))["files"][0]
    before = resident(apart)
    block = os.urandom(1 << 20)

    async def form() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="large.bin"\r\n\r\n'
        for _ in range(200):
            yield block
        yield b"\r\n--b--\r\n"

    sent = await person.client.post(
        shelf.url, content=form(), headers={"Content-Type": "multipart/form-data; boundary=b"}, timeout=120
    )
    assert sent.json()["files"][0]["size"] == 200 << 20
    total = 0
    async with person.client.stream("GET", f"{shelf.url}/{sent.json()['files'][0]['id']}/content") as served:
        async for piece in served.aiter_bytes():
            total += len(piece)
    assert total == 200 << 20
    assert resident(apart) - before < 64_000_000
    assert warm["version"] == 1
    await person.client.aclose()
