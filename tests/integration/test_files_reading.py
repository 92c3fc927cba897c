"""Files through the API: written, read, described, and shown inert."""

import hashlib
from pathlib import Path

import pytest
from tests.files_world import Shelf, blobs_in, stored, waiting
from tests.world import Person, World

LARGE = b"".join(b"line %07d of a large text\n" % number for number in range(60_000))


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def test_a_text_is_written_read_and_described(shelf: Shelf) -> None:
    file = await shelf.write("docs/plan.md", "# The plan\n\nSail west.\n", tags=["b", "a", "a"])

    assert (file["path"], file["version"], file["size"]) == ("docs/plan.md", 1, 23)
    assert (file["media"], file["mime"]) == ("markdown", "text/markdown")
    assert (file["tags"], file["summary"]) == (["a", "b"], "The plan")
    assert file["hash"] == hashlib.sha256(b"# The plan\n\nSail west.\n").hexdigest()
    read = await shelf.read(file["id"])
    assert read["content"] == "# The plan\n\nSail west.\n"
    assert (read["total_lines"], read["truncated"]) == (3, False)
    found = await shelf.person.get(f"{shelf.url}/at", params={"path": "docs\\plan.md"})
    assert found.json() == read


async def test_lines_can_be_asked_for(shelf: Shelf) -> None:
    file = await shelf.write("ten.txt", "".join(f"line {number}\n" for number in range(1, 11)))

    middle = await shelf.read(file["id"], start_line=4, end_line=6)
    assert middle["content"] == "line 4\nline 5\nline 6\n"
    assert (middle["start_line"], middle["end_line"], middle["total_lines"]) == (4, 6, 10)
    assert not middle["truncated"]
    beyond = await shelf.read(file["id"], start_line=11)
    assert (beyond["content"], beyond["end_line"], beyond["truncated"]) == ("", 10, False)
    wrong = await shelf.person.get(f"{shelf.url}/{file['id']}?start_line=5&end_line=4")
    assert wrong.status_code == 422


async def test_a_long_text_is_read_part_by_part(shelf: Shelf) -> None:
    file = (await shelf.send(("long.txt", LARGE)))["files"][0]
    lines, start = [], 58_500
    while True:
        part = await shelf.read(file["id"], start_line=start)
        assert part["content"].count("\n") <= 2000
        lines.append(part["content"])
        if not part["truncated"]:
            break
        start = part["end_line"] + 1
    assert "".join(lines).encode() == b"".join(LARGE.splitlines(keepends=True)[58_499:])
    assert part["total_lines"] == 60_000


async def test_one_endless_line_is_cut(shelf: Shelf) -> None:
    file = (await shelf.send(("wide.txt", "é".encode() * 1_500_000)))["files"][0]
    read = await shelf.read(file["id"])
    assert read["truncated"]
    assert set(read["content"]) == {"é"}
    assert len(read["content"]) == 500_000
    assert (read["total_lines"], read["end_line"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "data", "content"),
    [
        ("empty.txt", b"", ""),
        ("windows.txt", b"one\r\ntwo\r\n", "one\ntwo\n"),
        ("latin.txt", "señor, ¿qué tal está usted en la mañana?".encode("latin-1"), "señor"),
        ("sixteen.txt", "olá\n".encode("utf-16"), "olá\n"),
        ("page.html", b"<html><body><h1>Hi</h1><script>x()</script><p>you</p></body></html>", "# Hi"),
    ],
)
async def test_text_is_taken_out_of_what_is_not_plain(
    shelf: Shelf, name: str, data: bytes, content: str
) -> None:
    file = (await shelf.send((name, data)))["files"][0]
    read = await shelf.read(file["id"])
    assert read["content"].startswith(content)
    assert "x()" not in read["content"]
    assert (await shelf.read(file["id"]))["content"] == read["content"]
    assert (await shelf.bytes_of(file["id"])).content == data


async def test_a_picture_has_no_text_and_is_shown(shelf: Shelf) -> None:
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
    file = (await shelf.send(("image.txt", png)))["files"][0]
    assert (file["media"], file["mime"]) == ("image", "image/png")
    assert (await shelf.read(file["id"]))["content"] is None
    shown = await shelf.bytes_of(file["id"])
    assert shown.headers["content-type"] == "image/png"
    assert shown.headers["content-disposition"].startswith("inline")


async def test_parts_of_a_file_can_be_fetched(shelf: Shelf) -> None:
    file = await shelf.write("digits.txt", "0123456789")
    whole = await shelf.bytes_of(file["id"])
    assert (whole.status_code, whole.content) == (200, b"0123456789")
    for asked, got in {
        "bytes=2-4": b"234",
        "bytes=7-": b"789",
        "bytes=-2": b"89",
        "bytes=8-99": b"89",
    }.items():
        part = await shelf.bytes_of(file["id"], Range=asked)
        assert (part.status_code, part.content) == (206, got)
        assert part.headers["content-range"].endswith("/10")
    assert (await shelf.bytes_of(file["id"], Range="bytes=10-")).status_code == 416
    assert (await shelf.bytes_of(file["id"], Range="lines=1-2")).content == b"0123456789"
    assert (await shelf.bytes_of(file["id"], **{"If-None-Match": whole.headers["etag"]})).status_code == 304
    stale = await shelf.bytes_of(file["id"], **{"Range": "bytes=2-4", "If-Range": '"old"'})
    assert (stale.status_code, stale.content) == (200, b"0123456789")


async def test_the_same_bytes_are_stored_once_and_change_nothing(world: World, shelf: Shelf) -> None:
    first = await shelf.write("a.txt", "the same\n")
    again = await shelf.write("a.txt", "the same\n")
    assert again == first
    assert await waiting(world, first["id"]) == [1]

    await shelf.write("b.txt", "the same\n")
    assert await stored(world) == [(9, True)]
    assert await shelf.delete(first["id"]) == 204
    assert await stored(world) == [(9, True)]
    assert await shelf.paths() == ["b.txt"]


async def test_large_files_lie_in_the_blob_store_and_small_ones_in_the_database(
    world: World, shelf: Shelf, tmp_path: Path
) -> None:
    await shelf.send(("small", b"x" * 999_999), ("large", b"y" * 1_000_000))
    assert await stored(world) == [(999_999, True), (1_000_000, False)]
    (blob,) = blobs_in(tmp_path / "data")
    assert blob.read_bytes() == b"y" * 1_000_000
    assert not list((tmp_path / "data" / "incoming").iterdir())


async def test_another_kind_of_store_serves_as_well(tmp_path: Path) -> None:
    async with World.open(tmp_path / "data", TERTULIA_BLOBS="memory://shelves/one") as world:
        shelf = await Shelf.of(await world.person())
        file = (await shelf.send(("large.txt", LARGE)))["files"][0]
        assert (await shelf.bytes_of(file["id"])).content == LARGE
        assert (await shelf.bytes_of(file["id"], Range="bytes=5-11")).content == LARGE[5:12]
        page = (await shelf.send(("p.html", b"<html><body><p>Hello" + b" again" * 200_000)))["files"][0]
        assert (await shelf.read(page["id"]))["content"].startswith("Hello again")
        assert blobs_in(tmp_path / "data") == []
        assert await shelf.delete(file["id"]) == 204


async def test_flags_tags_and_summary_are_changed_one_by_one(world: World, shelf: Shelf) -> None:
    file = await shelf.write("a.md", "# Title\n")
    url = f"{shelf.url}/{file['id']}/metadata"
    changed = (await shelf.person.client.patch(url, json={"tags": ["x"], "summary": "Mine"})).json()
    assert (changed["tags"], changed["summary"], changed["version"]) == (["x"], "Mine", 1)
    await shelf.replace(file["id"], "# Another title\n")
    assert (await shelf.read(file["id"]))["summary"] == "Mine"

    hidden = (await shelf.person.client.patch(url, json={"retrieval_eligible": False})).json()
    assert (hidden["retrieval_eligible"], hidden["tags"]) == (False, ["x"])
    assert await waiting(world, file["id"]) == []
    await shelf.person.client.patch(url, json={"retrieval_eligible": True, "local_only": True})
    assert await waiting(world, file["id"]) == [1]
    assert (await shelf.person.client.patch(url, json={"tag": "typo"})).status_code == 422


async def test_pictures_are_not_queued_for_the_index(world: World, shelf: Shelf) -> None:
    file = (await shelf.send(("p.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 40)))["files"][0]
    assert await waiting(world, file["id"]) == []


async def test_the_index_is_given_the_text_piece_by_piece(world: World, shelf: Shelf) -> None:
    file = (await shelf.send(("long.txt", LARGE.replace(b"\n", b"\r\n"))))["files"][0]
    texts = world.server.parts.files.texts
    found = await texts.stream_text(file["id"], shelf.person.principal)
    pieces = list(found.pieces)

    assert "".join(pieces).encode() == LARGE
    assert max(map(len, pieces)) <= 1 << 20
    assert (found.path, found.media, found.problem) == ("long.txt", "text", "")


async def test_viewers_read_and_do_not_write(world: World, shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "shared\n")
    viewer = shelf.seen_by(await world.person(role="viewer", like=shelf.person))
    assert (await viewer.read(file["id"]))["content"] == "shared\n"
    assert (await viewer.post_form(("b.txt", b"x"))).status_code == 403
    assert (await viewer.replace(file["id"], "taken")).status_code == 403
    assert await viewer.delete(file["id"]) == 403
