"""Folders: listed level by level, moved and deleted whole."""

import pytest
from tests.files_world import Shelf, stored, waiting
from tests.world import Person, World

TREE = ["a.md", "docs/api/x.md", "docs/api/y.py", "docs/guide.md", "docs-old/z.md", "src/main.py"]


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    shelf = await Shelf.of(ada)
    await shelf.send(*((path, path.encode()) for path in TREE))
    return shelf


async def by_path(shelf: Shelf, path: str) -> str:
    found = await shelf.person.get(f"{shelf.url}/at", params={"path": path})
    assert found.status_code == 200, found.text
    return found.json()["id"]


async def move(shelf: Shelf, source: str, target: str) -> tuple[int, str]:
    answer = await shelf.person.post(f"{shelf.url}/move", {"from_prefix": source, "to_prefix": target})
    return answer.status_code, answer.json().get("error", {}).get("code", "")


async def test_files_are_listed_by_folder_tag_and_kind(shelf: Shelf) -> None:
    await shelf.write("src/tagged.md", "x", tags=["draft"])
    assert await shelf.paths() == sorted([*TREE, "src/tagged.md"])
    assert await shelf.paths(prefix="docs") == ["docs/api/x.md", "docs/api/y.py", "docs/guide.md"]
    assert await shelf.paths(prefix="docs/api/") == ["docs/api/x.md", "docs/api/y.py"]
    assert await shelf.paths(tag="draft") == ["src/tagged.md"]
    assert await shelf.paths(media="code") == ["docs/api/y.py", "src/main.py"]


async def test_a_long_list_comes_in_pages(shelf: Shelf) -> None:
    seen, after = [], ""
    while after is not None:
        page = await shelf.page(limit=2, after=after)
        seen += [file["path"] for file in page["files"]]
        after = page["next"]
    assert seen == sorted(TREE)


async def test_a_tree_opens_level_by_level(shelf: Shelf) -> None:
    top = await shelf.page(depth=1)
    assert [file["path"] for file in top["files"]] == ["a.md"]
    folders = {one["path"]: one["files"] for one in top["folders"]}
    assert folders == {"docs": 3, "docs-old": 1, "src": 1}
    assert list(folders) == sorted(folders)
    inside = await shelf.page(depth=1, prefix="docs")
    assert [file["path"] for file in inside["files"]] == ["docs/guide.md"]
    assert [(one["path"], one["files"]) for one in inside["folders"]] == [("docs/api", 2)]


async def test_a_file_is_moved_and_becomes_what_its_name_says(world: World, shelf: Shelf) -> None:
    id_ = await by_path(shelf, "docs/guide.md")
    moved = await shelf.person.post(f"{shelf.url}/{id_}/move", {"path": "src\\guide.py"})

    assert (moved.json()["path"], moved.json()["media"]) == ("src/guide.py", "code")
    assert moved.json()["version"] == 1
    assert (await shelf.read(id_))["content"] == "docs/guide.md"
    assert await waiting(world, id_) == [2]


@pytest.mark.parametrize("target", ["a.md", "docs", "a.md/inside", "src/main.py"])
async def test_nothing_is_moved_or_written_over_a_file_or_folder(shelf: Shelf, target: str) -> None:
    id_ = await by_path(shelf, "docs/guide.md")
    moved = await shelf.person.post(f"{shelf.url}/{id_}/move", {"path": target})
    assert (moved.status_code, moved.json()["error"]["code"]) == (409, "path_taken")
    assert await shelf.paths() == sorted(TREE)


@pytest.mark.parametrize("path", ["docs", "a.md/b", "src/main.py/c/d"])
async def test_no_file_is_made_where_a_folder_is_or_inside_a_file(shelf: Shelf, path: str) -> None:
    made = await shelf.person.post(shelf.url, {"path": path, "content": "x"})
    assert (made.status_code, made.json()["error"]["code"]) == (409, "path_taken")


async def test_a_folder_is_moved_with_all_that_is_in_it(world: World, shelf: Shelf) -> None:
    id_ = await by_path(shelf, "docs/api/x.md")
    assert await move(shelf, "docs", "handbook/new") == (200, "")
    assert await shelf.paths(prefix="handbook/new") == [
        "handbook/new/api/x.md",
        "handbook/new/api/y.py",
        "handbook/new/guide.md",
    ]
    assert await shelf.paths(prefix="docs") == []
    assert await by_path(shelf, "handbook/new/api/x.md") == id_
    assert await waiting(world, id_) == [2]


async def test_a_folder_can_move_up_over_its_own_place(shelf: Shelf) -> None:
    await shelf.send(("docs/docs/guide.md", b"inner"))
    assert await move(shelf, "docs", "") == (200, "")
    assert await shelf.paths() == sorted(
        ["a.md", "api/x.md", "api/y.py", "guide.md", "docs/guide.md", "docs-old/z.md", "src/main.py"]
    )


async def test_a_folder_moves_whole_or_not_at_all(shelf: Shelf) -> None:
    await shelf.send(("src/guide.md", b"in the way"))
    before = await shelf.paths()
    assert await move(shelf, "docs", "src") == (409, "path_taken")
    assert await move(shelf, "docs", "docs/deeper") == (422, "path_invalid")
    assert await move(shelf, "docs", "../up") == (422, "path_invalid")
    assert await move(shelf, "docs", "a.md") == (409, "path_taken")
    assert await move(shelf, "nowhere", "x") == (404, "not_found")
    assert await shelf.paths() == before


async def test_a_folder_is_deleted_with_all_that_is_in_it(world: World, shelf: Shelf) -> None:
    deleted = await shelf.person.client.delete(shelf.url, params={"prefix": "docs/"})
    assert deleted.json() == {"files": 3}
    assert await shelf.paths() == ["a.md", "docs-old/z.md", "src/main.py"]
    assert len(await stored(world)) == 3
    assert (await shelf.person.client.delete(shelf.url, params={"prefix": "docs"})).status_code == 404
    assert (await shelf.person.client.delete(shelf.url)).status_code == 422
    assert (await shelf.person.client.delete(shelf.url, params={"prefix": "/"})).status_code == 422
