"""The tools of a project and of the workspace, before a browser."""

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.conftest import ONE_PROVIDER
from tests.e2e.screen import NewContext, bearer, open_page
from tests.scripted_provider import ScriptedProvider
from tests.tools_world import give_letters
from tests.world import Json, Person, World

from tertulia.tools import grants

WORDS = '''"""Count the words of a text."""


def count_words(text: str) -> int:
    """Return how many words a text has.

    >>> count_words("one two")
    2
    """
    return len(text.split())
'''
WEATHER: Json = {
    "openapi": "3.1.0",
    "info": {"title": "Weather", "version": "1"},
    "paths": {
        "/now": {"get": {"operationId": "now", "summary": "The weather of this moment"}},
        "/wish": {"post": {"operationId": "wish", "summary": "Wish for another weather"}},
    },
}


async def project_with(person: Person, **files: str) -> str:
    """Return a project with these files in its folder of tools."""
    project: str = (await person.post("/api/projects", {"name": "Garden"})).json()["id"]
    for name, content in files.items():
        made = await person.post(
            f"/api/projects/{project}/files", {"path": f"tools/{name}.py", "content": content}
        )
        assert made.status_code == 201, made.text
    return project


def panel(page: Page, name: str) -> Locator:
    """Return a part of the settings."""
    return page.get_by_role("region", name=name, exact=True)


async def test_a_project_tells_what_its_tools_are_for(page: Page, ada: Person) -> None:
    project = await project_with(ada)
    await page.goto(f"/projects/{project}")
    await page.get_by_role("link", name="Tools").click()
    await expect(page.get_by_text("No tools yet")).to_be_visible()
    await expect(page.get_by_text("Models cannot run Python here.")).to_be_visible()
    files = page.get_by_role("navigation", name="Projects").get_by_role("link", name="Files")
    await expect(files).not_to_have_attribute("aria-current", "page")

    await ada.post(f"/api/projects/{project}/files", {"path": "tools/words.py", "content": WORDS})
    await page.reload()
    tool = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="words.py"))
    await expect(tool).to_contain_text("Count the words of a text.")
    await expect(tool).to_contain_text(re.compile("version 1 · written by you.*not used yet", re.IGNORECASE))
    await tool.get_by_text("1 function").click()
    await expect(tool).to_contain_text("count_words(text: str) -> int")
    await expect(tool.get_by_role("button", name="Run its tests: words.py")).to_be_disabled()
    await tool.get_by_role("link", name="Source: words.py").click()
    await expect(page.get_by_role("heading", name="words.py")).to_be_visible()
    await expect(files).to_have_attribute("aria-current", "page")


@pytest.fixture
async def bench(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    """A server that runs code."""
    more = ONE_PROVIDER | {"TERTULIA_SANDBOX": "on"}
    async with World.open(tmp_path / "bench", provider=provider, **more) as world:
        yield world


async def test_the_examples_of_a_tool_are_run(bench: World, new_context: NewContext) -> None:
    person = await bench.person(role="owner")
    project = await project_with(person, words=WORDS, wrong=WORDS.replace("    2\n", "    3\n"))
    context = await new_context(base_url=bench.url, extra_http_headers=bearer(person))
    page, watch = await open_page(context, bench.url, f"/projects/{project}/tools")
    await expect(page.get_by_text("Models can run Python here")).to_be_visible(timeout=60_000)
    await page.get_by_role("button", name="Run its tests: words.py").click()
    await expect(page.get_by_text("The example works.")).to_be_visible(timeout=30_000)
    await page.get_by_role("button", name="Run its tests: wrong.py").click()
    await expect(page.get_by_role("alert")).to_contain_text("1 of 1 examples fail.", timeout=30_000)
    await context.close()
    watch.check()


async def test_an_admin_switches_tools_and_everybody_takes_back_what_they_allowed(
    page: Page, world: World, ada: Person
) -> None:
    letters = give_letters(world)
    await world.db.write(lambda tx: grants.add(tx, letters.name, None), by=ada.principal)
    await page.goto("/settings/tools")
    await page.get_by_label("Models may use search_project", exact=True).uncheck()
    await page.get_by_label("How read_project_file runs").select_option("asks first")

    async def switches() -> dict[str, tuple[bool, str]]:
        tools = (await ada.get("/api/tools")).json()["tools"]
        return {one["name"]: (one["enabled"], one["effect"]) for one in tools}

    await expect(page.get_by_label("Models may use search_project", exact=True)).not_to_be_checked()
    await page.reload()
    await expect(page.get_by_label("Models may use search_project", exact=True)).not_to_be_checked()
    known = await switches()
    assert (known["search_project"], known["read_project_file"]) == ((False, "read"), (True, "side"))

    await page.get_by_role("button", name="Ask me again: send_letter").click()
    await expect(page.get_by_text("Nothing is allowed for good")).to_be_visible()
    assert (await ada.get("/api/tool-grants")).json()["grants"] == []


async def test_a_web_service_is_added_chosen_from_and_removed(page: Page, ada: Person) -> None:
    await page.goto("/settings/tools")
    await page.get_by_role("button", name="Add a service").click()
    form = page.get_by_role("dialog", name="Add a service")
    await form.get_by_label("Short name").fill("weather")
    await form.get_by_label("OpenAPI document").fill("nonsense")
    await form.get_by_role("button", name="Add", exact=True).click()
    await expect(form.get_by_role("alert")).to_be_visible()
    await form.get_by_label("OpenAPI document").fill(json.dumps(WEATHER))
    await form.get_by_label("Address").fill("https://weather.example.org")
    await form.get_by_role("button", name="Add", exact=True).click()
    await expect(form).to_have_count(0)

    services = panel(page, "Web services")
    await services.get_by_text("0 of 2 tools may be used").click()
    await services.get_by_label("Models may use weather__wish").check()
    await expect(services.get_by_text("1 of 2 tools may be used")).to_be_visible()
    switch = panel(page, "Tools").get_by_label("How weather__wish runs")
    await expect(switch).to_have_value("side")
    await services.get_by_role("button", name="Remove: weather").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(services.get_by_text("No services yet")).to_be_visible()
    assert (await ada.get("/api/http-tools")).json()["services"] == []


async def test_a_server_that_cannot_be_reached_says_so(page: Page, ada: Person) -> None:
    await page.goto("/settings/tools")
    await page.get_by_role("button", name="Add a server").click()
    form = page.get_by_role("dialog", name="Add a server")
    await form.get_by_label("Short name").fill("wiki")
    await form.get_by_label("How it is reached").select_option("A command")
    await form.get_by_label("Command").fill("/no/such/program")
    await form.get_by_label("Secrets").fill("TOKEN=hush")
    await form.get_by_role("button", name="Add", exact=True).click()
    servers = panel(page, "MCP servers")
    await expect(servers).to_contain_text("not reachable")
    (server,) = (await ada.get("/api/tool-servers")).json()["servers"]
    assert (server["command"], server["secret_names"]) == ("/no/such/program", ["TOKEN"])
    await servers.get_by_role("button", name="Switch off").click()
    await expect(servers.get_by_text("Off", exact=True)).to_be_visible()


async def test_the_pages_of_tools_can_be_used_by_everyone(look: Page, ada: Person) -> None:
    project = await project_with(ada, words=WORDS)
    service = {"slug": "weather", "document": json.dumps(WEATHER), "base_url": "https://weather.example.org"}
    assert (await ada.post("/api/http-tools", service)).status_code == 201
    await look.goto(f"/projects/{project}/tools")
    await look.get_by_text("1 function").click()
    assert await serious(look) == []
    await look.goto("/settings/tools")
    await look.get_by_text("0 of 2 tools may be used").click()
    assert await serious(look) == []
    for button in ("Add a server", "Add a service"):
        await look.get_by_role("button", name=button).click()
        await expect(look.get_by_role("dialog")).to_be_visible()
        assert await serious(look) == [], button
        await look.keyboard.press("Escape")
