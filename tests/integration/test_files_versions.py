"""Versions: every change is kept, compared, and can be undone."""

import asyncio
from pathlib import Path

import pytest
from tests.files_world import Shelf, stored, waiting
from tests.world import Json, Person, World


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def versions(shelf: Shelf, file: Json) -> list[int]:
    answer = await shelf.person.get(f"{shelf.url}/{file['id']}/versions")
    return [one["version"] for one in answer.json()["versions"]]


async def test_a_replaced_file_keeps_what_it_was(shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "one\ntwo\nthree\n")
    second = (await shelf.replace(file["id"], "one\n2\nthree")).json()

    assert (second["version"], second["id"]) == (2, file["id"])
    assert await versions(shelf, file) == [2, 1]
    first = (await shelf.person.get(f"{shelf.url}/{file['id']}/versions/1")).json()
    assert (first["content"], first["path"]) == ("one\ntwo\nthree\n", "a.txt")
    diff = (await shelf.person.get(f"{shelf.url}/{file['id']}/diff?from=1&to=2")).json()["diff"]
    assert "-two\n" in diff
    assert "+2\n" in diff
    assert "\\ No newline at end of file" in diff
    assert (await shelf.person.get(f"{shelf.url}/{file['id']}/versions/3")).status_code == 404


async def test_a_version_is_restored_as_a_further_one(world: World, shelf: Shelf) -> None:
    file = await shelf.write("a.md", "# First\n")
    await shelf.replace(file["id"], "# Second\n")
    restored = await shelf.person.post(f"{shelf.url}/{file['id']}/versions/1/restore")

    assert restored.json()["version"] == 3
    read = await shelf.read(file["id"])
    assert (read["content"], read["summary"]) == ("# First\n", "First")
    assert await versions(shelf, file) == [3, 2, 1]
    assert await stored(world) == [(8, True), (9, True)]
    again = await shelf.person.post(f"{shelf.url}/{file['id']}/versions/1/restore")
    assert again.json()["version"] == 3


async def test_only_the_newest_versions_are_kept(tmp_path: Path) -> None:
    async with World.open(tmp_path / "data", TERTULIA_FILE_VERSIONS="3") as world:
        shelf = await Shelf.of(await world.person())
        file = await shelf.write("a.txt", "0")
        for number in range(1, 6):
            await shelf.replace(file["id"], str(number))
        assert await versions(shelf, file) == [6, 5, 4]
        assert len(await stored(world)) == 3


async def test_a_change_made_from_an_old_version_is_refused(shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "one")
    assert (await shelf.replace(file["id"], "two", if_match=1)).json()["version"] == 2
    stale = await shelf.replace(file["id"], "three", if_match=1)

    assert stale.status_code == 409
    assert stale.json()["error"]["code"] == "file_changed"
    assert stale.json()["error"]["data"] == {"version": 2}
    made = await shelf.person.client.post(
        f"{shelf.url}?if_match=0", json={"path": "a.txt", "content": "four"}
    )
    assert made.status_code == 409
    assert (await shelf.read(file["id"]))["content"] == "two"


async def test_a_file_is_replaced_by_bytes_and_by_a_form(shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "one")
    url = f"{shelf.url}/{file['id']}"
    raw = await shelf.person.client.put(
        url, content=b"raw bytes", headers={"Content-Type": "application/octet-stream"}
    )
    assert raw.json()["version"] == 2
    form = await shelf.person.client.put(url, files={"file": ("other.bin", b"from a form")})
    assert (form.json()["version"], form.json()["path"]) == (3, "a.txt")
    assert (await shelf.bytes_of(file["id"])).content == b"from a form"
    two = await shelf.person.client.put(url, files=[("f", ("a", b"1")), ("f", ("b", b"2"))])
    assert two.json()["error"]["code"] == "upload_invalid"
    none = await shelf.person.client.put(url, files={"f": (None, b"1")})
    assert none.json()["error"]["code"] == "upload_invalid"
    assert (await shelf.bytes_of(file["id"])).content == b"from a form"


async def test_pictures_are_not_compared_and_neither_is_too_much(shelf: Shelf) -> None:
    png = b"\x89PNG\r\n\x1a\n"
    for path, one, two, code in (
        ("p.png", png + b"1" * 40, png + b"2" * 40, "no_text"),
        ("big.txt", b"a\n" * 600_000, b"b\n" * 600_000, "diff_too_large"),
        ("alike.txt", lines(1), lines(2), "diff_too_large"),
    ):
        file = (await shelf.send((path, one)))["files"][0]
        await shelf.send((path, two))
        answer = await shelf.person.get(f"{shelf.url}/{file['id']}/diff?from=1&to=2")
        assert answer.json()["error"]["code"] == code, path


def lines(seed: int) -> bytes:
    """Return a text whose lines each stand in it a hundred times, in another order for each seed."""
    return b"".join(b"%d\n" % (number * (seed * 2 + 1) % 199) for number in range(20_000))


async def test_two_replaces_at_once_both_happen(world: World, shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "zero")
    answers = await asyncio.gather(*(shelf.replace(file["id"], f"text {n}") for n in range(12)))

    assert sorted(one.json()["version"] for one in answers) == list(range(2, 14))
    assert await versions(shelf, file) == list(range(13, 0, -1))
    assert await waiting(world, file["id"]) == [13]


async def test_of_two_changes_from_the_same_version_one_happens(shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "zero")
    answers = await asyncio.gather(*(shelf.replace(file["id"], f"text {n}", if_match=1) for n in range(8)))
    assert sorted(one.status_code for one in answers) == [200, *[409] * 7]


async def test_a_path_created_twice_at_once_is_one_file(shelf: Shelf) -> None:
    files = await asyncio.gather(*(shelf.write("same.txt", f"text {n}") for n in range(8)))
    assert len({file["id"] for file in files}) == 1
    assert await shelf.paths() == ["same.txt"]
    assert sorted(file["version"] for file in files) == list(range(1, 9))


async def test_what_is_deleted_while_it_is_replaced_is_gone(world: World, shelf: Shelf) -> None:
    for round_ in range(5):
        file = await shelf.write(f"{round_}.txt", "first")
        large = "x" * 1_200_000
        replaced, deleted = await asyncio.gather(
            shelf.replace(file["id"], large + str(round_)), shelf.delete(file["id"])
        )
        assert deleted == 204
        assert replaced.status_code in (200, 404)
    assert await shelf.paths() == []
    assert await stored(world) == []


async def test_text_is_read_rightly_while_the_file_is_replaced(shelf: Shelf) -> None:
    file = await shelf.write("a.txt", "first\r\n")

    async def replace() -> None:
        for number in range(10):
            await shelf.replace(file["id"], f"text {number}\r\n")

    async def read() -> list[str]:
        return [(await shelf.read(file["id"]))["content"] for _ in range(20)]

    _, seen = await asyncio.gather(replace(), read())
    assert set(seen) <= {"first\n", *(f"text {number}\n" for number in range(10))}
    assert (await shelf.read(file["id"]))["content"] == "text 9\n"
