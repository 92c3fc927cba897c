"""The files of a project before a browser: brought in, read at lines, described, brought back, found."""

from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, Page, expect
from tests.documents import archive, pdf, png
from tests.e2e.hostile import RUN
from tests.e2e.screen import CONTROLLED, NewContext, bearer, follow, hold_back, open_page
from tests.search_world import until
from tests.world import Json, Person, World

MARKUP = "<img src=x onerror=alert(1)>.html"
MANY = 2000
DROP = """(names) => {
  const data = new DataTransfer();
  for (const name of names) data.items.add(new File([`Dropped: ${name}`], name));
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
async def project(ada: Person) -> str:
    return (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]


async def add(ada: Person, project: str, path: str, content: str) -> Json:
    """Put a text into a project."""
    answer = await ada.post(f"/api/projects/{project}/files", {"path": path, "content": content})
    return answer.json()["files"][0]


def row(page: Page, name: str) -> Locator:
    """Return a file or folder in the tree."""
    return page.get_by_role("treeitem", name=name)


async def choose(page: Page, way: str, what: Path | list[FilePayload]) -> None:
    """Add files through the menu."""
    await page.get_by_role("button", name="Add files").click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("menuitem", name=way).click()
    await (await chooser.value).set_files(what)


async def send(ada: Person, project: str, path: str, data: bytes) -> Json:
    """Put the bytes of a file into a project."""
    answer = await ada.client.post(f"/api/projects/{project}/files", files=[("files", (path, data))])
    return answer.json()["files"][0]


async def test_files_come_in_by_button_and_by_drop(page: Page, project: str, tmp_path: Path) -> None:
    (tmp_path / "soil.md").write_text("# Soil\n\nClay and sand.\n", "utf-8")
    await page.goto(f"/projects/{project}")
    await page.get_by_role("main").get_by_role("link", name="Files").click()
    await expect(page.get_by_text("No files yet")).to_be_visible()
    await choose(page, "Files…", tmp_path / "soil.md")
    await expect(row(page, "soil.md")).to_be_visible()
    await page.evaluate(DROP, ["seeds.txt", ".DS_Store"])
    await expect(row(page, "seeds.txt")).to_be_visible()
    await expect(page.get_by_role("region", name="Uploads")).to_contain_text("1 file left out")
    await row(page, "seeds.txt").click()
    await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("Dropped: seeds.txt")


async def test_a_folder_comes_in_with_what_lies_in_it(page: Page, project: str, tmp_path: Path) -> None:
    (tmp_path / "house" / "deep").mkdir(parents=True)
    (tmp_path / "house" / "a.txt").write_text("A", "utf-8")
    (tmp_path / "house" / "deep" / "b c.txt").write_text("B", "utf-8")
    await page.goto(f"/projects/{project}/files")
    await choose(page, "A folder…", tmp_path / "house")
    await row(page, "house 2 files, folder").click()
    await row(page, "deep 1 file, folder").click()
    await expect(row(page, "b c.txt")).to_have_attribute("aria-level", "3")


async def test_an_archive_is_unpacked_or_kept(page: Page, project: str) -> None:
    data = archive({"in/one.txt": "1", "in/two.txt": "2"})
    box = FilePayload(name="box.zip", mimeType="application/zip", buffer=data)
    await page.goto(f"/projects/{project}/files")
    await choose(page, "Files…", [box])
    await page.get_by_role("button", name="Keep as one file").click()
    await expect(row(page, "box.zip")).to_be_visible()
    await choose(page, "Files…", [box])
    await page.get_by_role("button", name="Unpack it").click()
    await expect(row(page, "in 2 files, folder")).to_be_visible()


async def test_an_upload_can_be_stopped(page: Page, project: str) -> None:
    await page.goto(f"/projects/{project}/files")
    await expect(page.get_by_text("No files yet")).to_be_visible()
    held = await hold_back(page, "**/files")
    await page.evaluate(DROP, ["seeds.txt"])
    await page.get_by_role("button", name="Stop sending").click()
    await expect(page.get_by_text("Stopped. Nothing was added.")).to_be_visible()
    await page.unroute_all(behavior="ignoreErrors")
    held.set()


async def test_things_are_dragged_into_folders_and_out_of_them(page: Page, ada: Person, project: str) -> None:
    await add(ada, project, "a.txt", "A")
    await add(ada, project, "docs/b.txt", "B")
    await page.goto(f"/projects/{project}/files")
    await row(page, "a.txt").drag_to(row(page, "docs 1 file, folder"))
    await expect(row(page, "docs 2 files, folder")).to_be_visible()
    await expect(row(page, "a.txt")).to_have_attribute("aria-level", "2")
    await row(page, "a.txt").drag_to(page.get_by_role("tree"), target_position={"x": 100, "y": 300})
    await expect(row(page, "a.txt")).to_have_attribute("aria-level", "1")


async def test_many_are_tagged_flagged_and_deleted_at_once(page: Page, ada: Person, project: str) -> None:
    for path in ("a.txt", "docs/b.txt", "docs/c.txt", "z.txt"):
        await add(ada, project, path, path)
    await page.goto(f"/projects/{project}/files")
    for name in ("a.txt", "docs 2 files, folder"):
        await row(page, name).click(modifiers=["Control"])
    picked = page.get_by_role("group", name="2 selected")
    await picked.get_by_role("button", name="Add a tag").click()
    await page.get_by_label("Tag", exact=True).fill("spring")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("3 files changed.")).to_have_count(1)
    await picked.get_by_role("button", name="What models may do").click()
    await page.get_by_role("checkbox", name="Stays on this machine").check()

    async def are_marked() -> bool:
        files = (await ada.get(f"/api/projects/{project}/files")).json()["files"]
        return sum(file["tags"] == ["spring"] and file["local_only"] for file in files) == 3

    # The same words are not said twice, so the files themselves are looked at.
    await until(are_marked)
    await page.keyboard.press("Escape")
    files = (await ada.get(f"/api/projects/{project}/files")).json()["files"]
    assert {one["path"] for one in files if one["tags"] == ["spring"] and one["local_only"]} == {
        "a.txt",
        "docs/b.txt",
        "docs/c.txt",
    }
    await picked.get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("treeitem")).to_have_count(1)
    files = (await ada.get(f"/api/projects/{project}/files")).json()["files"]
    assert [one["path"] for one in files] == ["z.txt"]


async def test_pictures_and_pages_are_shown(page: Page, ada: Person, project: str) -> None:
    picture = await send(ada, project, "dot.png", png(1, 1))
    survey = await send(ada, project, "survey.pdf", pdf(["The soil is clay.", "Snow weighs 90 kg."]))
    await page.goto(f"/projects/{project}/files/{picture['id']}")
    shown = page.get_by_role("img", name="Picture: dot.png")
    await expect(shown).to_be_visible()
    assert await shown.evaluate("(one) => one.naturalWidth") == 1
    await follow(page, f"/projects/{project}/files/{survey['id']}?lines=1")
    text = page.get_by_role("region", name="Text of the file")
    await expect(text).to_contain_text("page 2")
    await expect(text).to_contain_text("Snow weighs 90 kg.")


async def test_an_address_with_lines_shows_and_marks_them(page: Page, ada: Person, project: str) -> None:
    file = await add(ada, project, "src/beds.py", "\n".join(f"bed_{n} = {n}" for n in range(1, 5001)))
    await page.goto(f"/projects/{project}/files/{file['id']}?lines=4500-4502")
    await expect(page.get_by_text("bed_4501 = 4501")).to_be_in_viewport()
    await expect(page.locator("[data-line][aria-current=true]")).to_have_count(3)
    await page.get_by_role("button", name="Line 4504", exact=True).click(modifiers=["Shift"])
    await expect(page.locator("[data-line][aria-current=true]")).to_have_count(5)
    assert page.url.endswith("?lines=4500-4504")
    await page.get_by_label("Go to lines").fill("7")
    await page.get_by_label("Go to lines").press("Enter")
    await expect(page.get_by_text("bed_7 = 7", exact=True)).to_be_in_viewport()


async def test_flags_and_tags_stay(page: Page, ada: Person, project: str) -> None:
    file = await add(ada, project, "plan.md", "# Plan\n")
    await page.goto(f"/projects/{project}/files/{file['id']}?view=details")
    async with page.expect_response("**/metadata"):
        await page.get_by_role("checkbox", name="Stays on this machine").check()
    async with page.expect_response("**/metadata"):
        await page.get_by_label("Add a tag").fill("spring")
        await page.get_by_label("Add a tag").press("Enter")
    await page.reload()
    await expect(page.get_by_role("checkbox", name="Stays on this machine")).to_be_checked()
    await expect(page.get_by_role("checkbox", name="Found by search")).to_be_checked()
    await expect(page.get_by_role("checkbox", name="Always in view")).not_to_be_checked()
    await expect(page.get_by_role("button", name="spring", exact=True)).to_be_visible()


async def test_what_is_written_can_be_compared_and_taken_back(page: Page, ada: Person, project: str) -> None:
    file = await add(ada, project, "roof.txt", "The roof is cedar.\n")
    await page.goto(f"/projects/{project}/files/{file['id']}")
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_label("Text of roof.txt").fill("The roof is slate.\n")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("slate")
    await page.get_by_role("link", name="Versions").click()
    await page.get_by_role("button", name="What changed").click()
    await expect(page.locator("[data-change=removed]")).to_contain_text("cedar")
    await expect(page.locator("[data-change=added]")).to_contain_text("slate")
    await page.get_by_role("button", name="Restore: Version 1").click()
    await expect(page.get_by_text("Version 3")).to_be_visible()
    await page.get_by_role("link", name="Content").click()
    await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("cedar")


async def test_two_who_write_at_once_both_keep_their_words(page: Page, ada: Person, project: str) -> None:
    file = await add(ada, project, "roof.txt", "The roof is cedar.\n")
    path = f"/api/projects/{project}/files/{file['id']}"
    await page.goto(f"/projects/{project}/files/{file['id']}")
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_label("Text of roof.txt").fill("Mine.\n")
    await ada.put(path, {"content": "Theirs.\n"})
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Save mine on top").click()
    await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("Mine.")
    versions = (await ada.get(f"{path}/versions")).json()["versions"]
    assert [one["version"] for one in versions] == [3, 2, 1]


async def test_what_is_found_opens_at_its_lines(page: Page, ada: Person, project: str) -> None:
    text = "".join(f"## Bed {n}\n\nNothing grows here, in bed number {n}.\n\n" for n in range(40))
    await add(ada, project, "docs/beds.md", text + "## Pond\n\nThe heron visits at dawn.\n")
    await page.goto(f"/projects/{project}/files")
    await expect(page.get_by_text("can be found")).to_be_visible()
    await page.keyboard.press("/")
    await page.keyboard.type("heron at dawn")
    hits = page.get_by_role("list", name="Found in files")
    await expect(hits.locator("mark").filter(has_text="heron").first).to_be_visible()
    await hits.get_by_role("link").first.click()
    await expect(page.get_by_text("The heron visits at dawn.").last).to_be_in_viewport()
    assert "?lines=" in page.url


async def test_deleting_can_be_undone_and_moving_is_by_name(page: Page, ada: Person, project: str) -> None:
    await add(ada, project, "a.txt", "A")
    await add(ada, project, "b.txt", "B")
    await page.goto(f"/projects/{project}/files")
    await expect(row(page, "a.txt")).to_be_visible()
    await page.get_by_role("tree").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Delete")
    await expect(row(page, "a.txt")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "a.txt")).to_be_visible()
    await page.get_by_role("tree").focus()
    await page.keyboard.press("F2")
    await page.get_by_label("Path").fill("old/a.txt")
    await page.get_by_role("button", name="Move", exact=True).click()
    await expect(row(page, "old 1 file, folder")).to_be_visible()


async def test_thousands_of_files_scroll(page: Page, ada: Person, project: str) -> None:
    names = [("files", (f"note-{n:04}.txt", f"Note {n}.".encode())) for n in range(MANY)]
    for start in range(0, MANY, 500):
        answer = await ada.client.post(f"/api/projects/{project}/files", files=names[start : start + 500])
        assert answer.status_code == 201
    await page.goto(f"/projects/{project}/files")
    await expect(row(page, "note-0000.txt")).to_be_visible()
    assert await page.get_by_role("treeitem").count() < 100
    await page.get_by_role("tree").focus()
    for _ in range(6):
        await page.keyboard.press("End")
        await page.wait_for_timeout(200)
    await expect(row(page, f"note-{MANY - 1}.txt")).to_be_visible()
    assert await page.get_by_role("treeitem").count() < 100


async def test_hostile_files_stay_text(page: Page, ada: Person, project: str) -> None:
    hostile = f"<script>{RUN}</script><svg onload='{RUN}'><img src=x onerror='{RUN}'>"
    for path in (MARKUP, "bad.svg", "bad.md"):
        file = await add(ada, project, path, f"# Bad\n\n{hostile}\n")
        await page.goto(f"/projects/{project}/files/{file['id']}")
        await expect(page.get_by_role("heading", name=path)).to_be_visible()
        await follow(page, f"/projects/{project}/files/{file['id']}?lines=1-3")
        await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("Bad")
    await expect(row(page, MARKUP)).to_be_visible()
    assert await page.evaluate("() => window.__pwned") is None


async def test_a_sign_names_a_file_in_a_message(page: Page, ada: Person, project: str) -> None:
    await add(ada, project, "docs/plan.md", "# Plan\n")
    await add(ada, project, "old plan.md", "# Plan\n")
    await page.goto(f"/?project={project}")
    await page.get_by_label("Your message").press_sequentially("See #docs/pl")
    await page.get_by_role("option", name="plan.md").click()
    await expect(page.get_by_label("Your message")).to_have_value("See #docs/plan.md ")
    await page.get_by_label("Your message").press_sequentially('and #"old p')
    await page.get_by_role("option", name="old plan.md").click()
    await expect(page.get_by_label("Your message")).to_have_value('See #docs/plan.md and #"old plan.md" ')


async def test_a_deletion_of_very_many_survives_the_closing_of_its_page(
    new_context: NewContext, world: World, ada: Person, project: str
) -> None:
    folders = [f"{number:03}{'-' * 220}" for number in range(300)]
    files = [("files", (f"{folder}/a.txt", b"A")) for folder in folders]
    answer = await ada.client.post(f"/api/projects/{project}/files", files=files)
    assert answer.status_code == 201
    context = await new_context(extra_http_headers=bearer(ada), service_workers="allow")
    page, watch = await open_page(context, world.url, f"/projects/{project}/files")
    await page.evaluate(CONTROLLED)
    await row(page, folders[0]).click(modifiers=["Control"])
    await page.get_by_role("tree").evaluate("(tree) => (tree.scrollTop = tree.scrollHeight)")
    await row(page, folders[-1]).click(modifiers=["Shift"])
    await expect(page.get_by_role("group", name="300 selected")).to_be_visible()
    # What the page sends itself ends with it.
    await page.route("**/files/deletion", lambda route: route.abort())
    await page.get_by_role("tree").press("Delete")
    await page.close()

    async def is_gone() -> bool:
        return (await ada.get(f"/api/projects/{project}/files")).json()["files"] == []

    await until(is_gone)
    watch.check()
