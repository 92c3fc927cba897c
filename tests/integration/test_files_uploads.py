"""Uploads: many files in one form, folders, archives, and what is left out of them."""

import stat
import zipfile
from pathlib import Path

import pytest
from tests.files_world import Shelf, stored, zipped
from tests.world import Json, Person, World

FORM = "multipart/form-data; boundary=b"


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


def told(answer: Json) -> dict[str, str]:
    return {one["path"]: one["code"] for one in answer["skipped"]}


async def test_many_files_come_in_one_form(shelf: Shelf) -> None:
    sent = [(f"src/part{number}/file {number}.py", b"x = %d\n" % number) for number in range(150)]
    answer = await shelf.send(*sent, prefix="code/")
    assert [file["path"] for file in answer["files"]] == [f"code/{path}" for path, _ in sent]
    assert answer["skipped"] == []


async def test_one_bad_file_does_not_stop_the_others(shelf: Shelf) -> None:
    await shelf.write("taken", "a file")
    answer = await shelf.send(
        ("good.txt", b"1"),
        ("../bad.txt", b"2"),
        ("taken/inside", b"3"),
        ("good.txt", b"4"),
        ("also.txt", b"5"),
    )
    assert [file["path"] for file in answer["files"]] == ["good.txt", "also.txt"]
    assert told(answer) == {
        "../bad.txt": "path_invalid",
        "taken/inside": "path_taken",
        "good.txt": "duplicate_path",
    }
    assert all(one["reason"].endswith(".") for one in answer["skipped"])


async def test_names_of_every_script_arrive_as_they_were(shelf: Shelf) -> None:
    names = ["résumé.txt", "日本語/ファイル.md", "имя файла.txt", "👩‍💻.md", 'quo"te.txt', "semi;colon.txt"]
    answer = await shelf.send(*((name, b"x") for name in names))
    assert {file["path"] for file in answer["files"]} == set(names)


async def test_what_browsers_escape_in_a_name_is_read_as_it_was(shelf: Shelf) -> None:
    head = 'Content-Disposition: form-data; name="files"; filename='
    names = ['"50%22 pots.txt"', '"100%.txt"', '"100%2F.txt"', '"two%0D%0Alines.txt"']
    parts = "".join(f"--b\r\n{head}{name}\r\n\r\nx\r\n" for name in names)
    answer = await shelf.person.client.post(
        shelf.url, content=f"{parts}--b--\r\n", headers={"Content-Type": FORM}
    )
    assert [file["path"] for file in answer.json()["files"]] == ['50" pots.txt', "100%.txt", "100%2F.txt"]
    assert told(answer.json()) == {"two\r\nlines.txt": "path_invalid"}


async def test_a_file_that_is_too_large_is_left_out(tmp_path: Path) -> None:
    async with World.open(tmp_path / "data", TERTULIA_LARGEST_FILE="2000000") as world:
        shelf = await Shelf.of(await world.person())
        answer = await shelf.send(("a.txt", b"1"), ("large.bin", b"x" * 2_000_001), ("b.txt", b"2"))
        assert [file["path"] for file in answer["files"]] == ["a.txt", "b.txt"]
        assert told(answer) == {"large.bin": "file_too_large"}
        alone = await shelf.person.client.put(
            f"{shelf.url}/{answer['files'][0]['id']}", content=b"x" * 2_000_001
        )
        assert (alone.status_code, alone.json()["error"]["code"]) == (413, "file_too_large")
        assert not list((tmp_path / "data" / "incoming").iterdir())


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        (FORM, b"no parts here"),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nx'),
        (FORM, b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
        (FORM, b"--b\r\nX: " + b"y" * 20_000 + b"\r\n\r\nx\r\n--b--\r\n"),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="pre"\r\n\r\nx\r\n--b--\r\n'),
        ("text/plain", b"x"),
    ],
)  # fmt: skip
async def test_a_form_that_makes_no_sense_is_refused(shelf: Shelf, kind: str, body: bytes) -> None:
    answer = await shelf.person.client.post(shelf.url, content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "upload_invalid")
    assert await shelf.paths() == []


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        '{"path": "a"}',
        '{"path": "a", "content": "x", "more": 1}',
        r'{"path": "a", "content": "\u0000"}',
    ],
)
async def test_json_that_is_not_as_described_is_refused(shelf: Shelf, body: str) -> None:
    answer = await shelf.person.client.post(
        shelf.url, content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")


async def test_fields_come_before_the_files_they_are_about(shelf: Shelf) -> None:
    files = [("files", ("a.txt", b"x")), ("prefix", (None, b"docs"))]
    answer = await shelf.person.client.post(shelf.url, files=files)
    assert answer.json()["error"]["code"] == "upload_invalid"


async def test_an_archive_is_unpacked_where_that_is_asked_for(shelf: Shelf) -> None:
    inner = zipped(("deep.txt", b"deep"))
    archive = zipped(
        ("docs/", b""), ("docs/a.md", b"# A\n"), ("win\\b.txt", b"b"), ("inner.zip", inner),
        ("big.txt", b"ab" * 900_000),
    )  # fmt: skip
    kept = await shelf.send(("all.zip", archive))
    assert [file["path"] for file in kept["files"]] == ["all.zip"]

    answer = await shelf.send(("all.zip", archive), prefix="from", unpack="true")
    assert sorted(file["path"] for file in answer["files"]) == [
        "from/big.txt",
        "from/docs/a.md",
        "from/inner.zip",
        "from/win/b.txt",
    ]
    assert answer["skipped"] == []


async def test_what_an_archive_holds_besides_files_is_left_out(shelf: Shelf) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    device = zipfile.ZipInfo("device")
    device.external_attr = (stat.S_IFCHR | 0o666) << 16
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = zipped(
            (link, b"/etc/passwd"), (device, b""), ("../up.txt", b"x"), ("/root.txt", b"x"),
            ("same.txt", b"first"), ("same.txt", b"second"), ("Same.txt", b"another"),
        )  # fmt: skip
    answer = await shelf.send(("a.zip", archive), unpack="true")
    assert [file["path"] for file in answer["files"]] == ["same.txt", "Same.txt"]
    assert (await shelf.read(answer["files"][0]["id"]))["content"] == "first"
    assert told(answer) == {
        "link": "archive_refused",
        "device": "archive_refused",
        "../up.txt": "path_invalid",
        "/root.txt": "path_invalid",
        "same.txt": "duplicate_path",
    }


async def test_a_damaged_archive_is_told_of(world: World, shelf: Shelf) -> None:
    good = zipped(("a.txt", b"text " * 1000), ("b.txt", b"other"))
    broken = bytearray(good)
    broken[40:50] = b"\xff" * 10
    locked = bytearray(zipped(("secret.txt", b"x")))
    locked[6] |= 1
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    answer = await shelf.send(
        ("no.zip", b"not an archive"), ("half.zip", good[: len(good) // 2]), ("bad.zip", bytes(broken)),
        ("locked.zip", bytes(locked)), ("still.txt", b"here"), unpack="true",
    )  # fmt: skip
    assert [file["path"] for file in answer["files"]] == ["b.txt", "still.txt"]
    assert told(answer) == dict.fromkeys(["no.zip", "half.zip", "a.txt", "secret.txt"], "archive_refused")
    assert await stored(world) == [(4, True), (5, True)]
