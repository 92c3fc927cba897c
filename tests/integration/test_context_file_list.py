"""The list of files in a system prompt: each file, or their folders, and nothing that is for local models."""

import pytest
from tests.files_world import Shelf as Files
from tests.world import Person, World

from tertulia.context.file_list import PROMPT_FILES_MAX, read_file_list


@pytest.fixture
async def files(ada: Person) -> Files:
    return await Files.of(ada)


async def test_few_files_are_listed_one_by_one(world: World, files: Files) -> None:
    await files.write("notes/tides.md", "# Tides")
    await files.write("plan.md", "# Plan")
    shelf = await world.db.read(
        lambda tx: read_file_list(tx, files.project_id, None), by=files.person.principal
    )
    assert (shelf.count, [one.path for one in shelf.listed]) == (2, ["notes/tides.md", "plan.md"])


async def test_of_many_files_folders_are_listed_but_none_that_is_for_local_models(
    world: World, files: Files
) -> None:
    hidden = [await files.write(path, "Secret.") for path in ("diagnosis/scan.md", "notes/own.md", "own.md")]
    for file in hidden:
        path = f"/api/projects/{files.project_id}/files/{file['id']}/metadata"
        assert (await files.person.client.patch(path, json={"local_only": True})).is_success
    for number in range(PROMPT_FILES_MAX):
        await files.write(f"notes/{number}.md", f"# Note {number}")
    await files.write("plan.md", "# The plan")

    shelf = await world.db.read(
        lambda tx: read_file_list(tx, files.project_id, None), by=files.person.principal
    )

    assert [(one.path, one.files, one.about) for one in shelf.listed] == [
        ("notes", PROMPT_FILES_MAX, ""),
        ("plan.md", 0, "The plan"),
    ]
    assert shelf.count == PROMPT_FILES_MAX + 1
