"""What a reply cites, before a browser: shown, opened where it stands, and marked."""

import asyncio
import re

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.screen import lane, show
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person

QUINCE = (
    "# Garden\n\nApples stand in the north.\n\n## Quinces\n\nThe quince hedge is pruned in late February.\n"
)


@pytest.fixture
async def project(ada: Person) -> str:
    project: str = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "notes/garden.md", "content": QUINCE})
    await found(ada, project, "quince hedge", "file")
    return project


async def found(ada: Person, project: str, query: str, kind: str) -> None:
    """Wait until something with all the words of a query can be found."""
    body = {"query": query, "filter": {"kinds": [kind]}}
    for _ in range(300):
        hits = (await ada.post(f"/api/projects/{project}/search", body)).json()["hits"]
        if any(all(word in hit["content"].lower() for word in query.lower().split()) for hit in hits):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"nothing was found for {query}")


async def asked(ada: Person, project: str, question: str, model: str = "librarian") -> Json:
    """Ask in a project, and return the turn once it is answered."""
    turn = await ada.start(question, models=[model], project_id=project)
    await ada.finished(turn)
    return turn


def citation(page: Page, number: int = 1) -> Locator:
    """Return a citation in an answer."""
    return page.get_by_role("link", name=f"Source {number}:").first


async def test_a_citation_opens_the_file_at_its_lines(page: Page, ada: Person, project: str) -> None:
    await show(page, await asked(ada, project, "When is the quince hedge pruned?"))
    await citation(page).hover()
    await expect(page.get_by_role("dialog")).to_contain_text("late February")
    await citation(page).click()
    await expect(page).to_have_url(re.compile(f"/projects/{project}/files/.*lines="))
    await expect(page.get_by_text("The quince hedge is pruned").first).to_be_visible()


async def test_a_source_of_an_earlier_talk_opens_its_round(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="The zinnias came from Lisbon in a tin box."))
    earlier = await asked(ada, project, "Where did the zinnias come from?", "scripted-fast")
    await found(ada, project, "zinnias Lisbon tin box", "message")
    await show(page, await asked(ada, project, "What was said of the zinnias from Lisbon?"))
    await page.get_by_text("Sources:").click()
    talk = page.get_by_role("list", name="Sources").get_by_role("listitem").filter(has_text="round 1").first
    await talk.get_by_role("link", name="Open").click()
    await expect(page).to_have_url(re.compile(f"#{earlier['round']['id']}$"))
    await expect(page.locator("article.marked")).to_contain_text("zinnias")


async def test_a_source_on_a_branch_that_is_not_shown_is_shown(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    turn = await asked(ada, project, "Where did the dahlias come from?", "scripted-fast")
    conversation, first = turn["conversation"]["id"], turn["round"]["id"]
    edited = await ada.post(f"/api/rounds/{first}/edit", {"message": "Where did the roses come from?"})
    await ada.finished(edited.json())
    await page.goto(f"/c/{conversation}#{first}")
    await expect(page.locator("article.marked")).to_contain_text("dahlias")
    await expect(page.get_by_text("roses")).to_have_count(0)
    page_now = (await ada.get(f"/api/conversations/{conversation}")).json()
    assert [one["id"] for one in page_now["rounds"]] == [first]


async def test_the_keyboard_goes_from_a_citation_into_its_source_and_back(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="In February [1], as written [1]."))
    await show(page, await asked(ada, project, "When is the quince hedge pruned?", "scripted-fast"))
    source, links = page.get_by_role("dialog"), page.get_by_role("link", name="Source 1:")
    await links.first.focus()
    await expect(source).to_contain_text("late February")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await expect(source.get_by_role("link", name="Open")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(source).to_have_count(0)
    await expect(links.first).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(links.nth(1)).to_be_focused()
    await expect(source).to_be_visible()
    for _ in range(4):
        await page.keyboard.press("Tab")
    await expect(source.get_by_role("button", name="Bad source")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_text("Sources:")).to_be_focused()
    await expect(source).to_have_count(0)


async def test_a_mark_stays(page: Page, ada: Person, project: str) -> None:
    await show(page, await asked(ada, project, "When is the quince hedge pruned?"))
    good = page.get_by_role("list", name="Sources").get_by_role("button", name="Good source").first
    await page.get_by_text("Sources:").click()
    async with page.expect_response("**/citations/*"):
        await good.click()
    await page.reload()
    await page.get_by_text("Sources:").click()
    await expect(good).to_have_attribute("aria-pressed", "true")


async def test_only_numbers_with_a_source_become_links(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="In February [1], not [77]. `hedge[1]` is code."))
    await show(page, await asked(ada, project, "When is the quince hedge pruned?", "scripted-fast"))
    answer = lane(page, "scripted-fast").locator(".prose")
    await expect(answer.get_by_role("link")).to_have_count(1)
    await expect(answer).to_contain_text("not [77]. hedge[1] is code.")


async def test_formulas_diagrams_and_code_stay_as_drawn_when_a_reply_with_sources_ends(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    end = "As it is written [1]."
    drawn = "Then $e^{i\\pi} = -1$ [1].\n\n```mermaid\ngraph TD\nA-->B\n```\n\n```js\nlet a = 1\n```\n\n"
    provider.script("scripted-fast", Script(reply=[drawn, "Wait.\n\n", end], tokens_per_second=1))
    turn = await ada.start("When is the quince hedge pruned?", project_id=project)
    await show(page, turn)
    answer = lane(page, "scripted-fast")
    picture = answer.get_by_role("img", name="Diagram")
    await expect(answer.locator(".katex")).to_have_count(1)
    await expect(picture).to_be_visible()
    before = await picture.get_attribute("src")

    await expect(answer).to_have_attribute("aria-busy", "false")
    await expect(answer).to_contain_text("As it is written")
    await expect(answer.locator("annotation")).to_have_text("e^{i\\pi} = -1")
    await expect(answer.locator("pre code").last).to_have_text("let a = 1")
    assert await picture.get_attribute("src") == before
    await expect(citation(page)).to_be_visible()
