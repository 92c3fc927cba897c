"""The files of a project before a browser: brought in, read at lines, described, brought back, found."""

from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.hostile import RUN
from tests.world import Json, Person

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


async def test_files_come_in_by_button_and_by_drop(page: Page, project: str, tmp_path: Path) -> None:
    (tmp_path / "soil.md").write_text("# Soil\n\nClay and sand.\n", "utf-8")
    await page.goto(f"/projects/{project}")
    await page.get_by_role("main").get_by_role("link", name="Files").click()
    await expect(page.get_by_text("No files yet")).to_be_visible()
    await page.get_by_role("button", name="Add files").click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("menuitem", name="Files…").click()
    await (await chooser.value).set_files(tmp_path / "soil.md")
    await expect(row(page, "soil.md")).to_be_visible()
    await page.evaluate(DROP, ["seeds.txt", ".DS_Store"])
    await expect(row(page, "seeds.txt")).to_be_visible()
    await expect(page.get_by_role("region", name="Uploads")).to_contain_text("1 file left out")
    await row(page, "seeds.txt").click()
    await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("Dropped: seeds.txt")


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
        await page.goto(f"/projects/{project}/files/{file['id']}?lines=1-3")
        await expect(page.get_by_role("region", name="Text of the file")).to_contain_text("Bad")
    await expect(row(page, MARKUP)).to_be_visible()
    assert await page.evaluate("() => window.__pwned") is None


async def test_a_sign_names_a_file_in_a_message(page: Page, ada: Person, project: str) -> None:
    await add(ada, project, "docs/plan.md", "# Plan\n")
    await page.goto(f"/?project={project}")
    await page.get_by_label("Your message").press_sequentially("See #pl")
    await page.get_by_role("option", name="plan.md").click()
    await expect(page.get_by_label("Your message")).to_have_value("See #docs/plan.md ")
