"""Search before a browser: across projects, with filters, with its reasons, and told what to do."""

import re

import pytest
from playwright.async_api import Page, expect
from tests.e2e.test_citations import found
from tests.world import Person

HOSTILE = "# Quince <img src=x onerror=alert(1)>\n\nThe quince <script>alert(2)</script> is hostile.\n"


@pytest.fixture
async def project(ada: Person) -> str:
    project: str = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    files = f"/api/projects/{project}/files"
    await ada.post(
        files, {"path": "notes/hedge.md", "content": "# Hedge\n\nThe quince is pruned in winter.\n"}
    )
    await ada.post(files, {"path": "src/hedge.py", "content": "def prune_quince():\n    return 'winter'\n"})
    await found(ada, project, "prune_quince", "file")
    await found(ada, project, "quince winter", "file")
    return project


async def test_what_is_typed_is_found_filtered_and_explained(page: Page, project: str) -> None:
    await page.goto("/search")
    await page.get_by_role("searchbox", name="Search files and conversations").fill("quince")
    hits = page.get_by_role("list", name="What was found").locator("[data-hit]")
    await expect(hits).to_have_count(2)
    await expect(hits.first.locator("mark").first).to_have_text("quince")
    await page.get_by_role("button", name="Filters").click()
    await page.get_by_label("File type").fill("py")
    await page.get_by_label("File type").press("Enter")
    await page.keyboard.press("Escape")
    await expect(hits).to_have_count(1)
    assert "type=py" in page.url
    await page.get_by_text("Why here?").click()
    await expect(page.get_by_role("list", name="What speaks for it")).to_contain_text("Words")
    await page.reload()
    await expect(hits).to_have_count(1)
    await page.get_by_role("button", name="Take away: File type: py").click()
    await expect(hits).to_have_count(2)


async def test_the_palette_searches_everything_and_the_keyboard_goes_through_the_hits_and_opens_one(
    page: Page, project: str
) -> None:
    await page.goto("/")
    await expect(page.get_by_label("Your message")).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("prune_quince")
    await page.get_by_role("option", name="Search everything for “prune_quince”").click()
    await expect(page.locator("[data-hit]").first).to_contain_text("quince")
    await page.get_by_role("searchbox", name="Search files and conversations").press("ArrowDown")
    await expect(page.locator("[data-hit]").first).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"/projects/{project}/files/"))


async def test_hostile_text_in_a_hit_is_text(page: Page, ada: Person, project: str) -> None:
    await ada.post(f"/api/projects/{project}/files", {"path": "<b>x.md", "content": HOSTILE})
    await found(ada, project, "hostile", "file")
    await page.goto("/search?q=hostile")
    await expect(page.locator("[data-hit]").first).to_contain_text("<script>alert(2)</script>")
    assert await page.locator("[data-hit] img, [data-hit] script, [data-hit] b").count() == 0


async def test_nothing_found_says_what_to_do(page: Page, project: str) -> None:
    await page.goto(f"/search?q=quince&tag=nowhere&project={project}")
    await expect(page.get_by_text("Nothing was found")).to_be_visible()
    await page.get_by_role("button", name="Take all filters away").click()
    await expect(page.locator("[data-hit]").first).to_be_visible()


async def test_a_switch_of_retrieval_holds_at_once(page: Page, ada: Person, project: str) -> None:
    await page.goto("/settings/retrieval")
    await page.get_by_label("Look closely").select_option("Off")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    held = (await ada.get("/api/retrieval/preferences")).json()
    assert (held["current"]["rerank"], held["chosen"]) == (False, ["rerank"])
    body = {"query": "quince hedge"}
    hits = (await ada.post(f"/api/projects/{project}/search", body)).json()["hits"]
    assert not any(
        reason["signal"] == "coverage" for hit in hits for reason in hit["why"] if reason["weight"]
    )
    await page.get_by_role("button", name="Measure with my marks").click()
    await expect(page.get_by_text("There are no marks yet")).to_be_visible()


async def test_a_person_chooses_for_themselves(page: Page, ada: Person) -> None:
    await page.goto("/settings/retrieval")
    mine = page.get_by_role("form", name="For yourself")
    await mine.get_by_label("Tokens for sources").fill("400")
    await mine.get_by_role("button", name="Save for yourself").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    held = (await ada.get("/api/retrieval/preferences")).json()
    assert (held["current"]["token_budget"], held["origins"]["token_budget"]) == (400, "person")
    assert held["workspace"]["token_budget"] == 1_000
