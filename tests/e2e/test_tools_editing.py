"""Servers and services that were added are edited, before a browser."""

import json

from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer, open_page
from tests.e2e.test_tools_pages import WEATHER, panel
from tests.tool_servers import add_server, speaks_mcp, web_service
from tests.world import Json, Person, World

SECRET = "hush-canary-4711"
STORMS = {"/storms": {"get": {"operationId": "storms", "summary": "The storms to come"}}}


async def editing(page: Page, slug: str) -> Locator:
    """Open what is known of a server or service, and return the form."""
    await page.get_by_role("button", name=f"Edit: {slug}").click()
    form = page.get_by_role("dialog", name=f"Edit {slug}")
    await expect(form.get_by_label("Short name")).to_have_count(0)
    return form


async def save(form: Locator) -> None:
    """Save, and see the form go."""
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_have_count(0)


async def weather(person: Person) -> Json:
    """Return a service with a key and one operation that may be used."""
    service = {"slug": "weather", "document": json.dumps(WEATHER), "base_url": "https://weather.example.org"}
    keyed = {"auth": "header", "auth_name": "X-Key", "secret": SECRET, "allowed": ["now"]}
    made = await person.post("/api/http-tools", service | keyed)
    assert made.status_code == 201, made.text
    return made.json()


async def test_a_server_is_edited_and_its_secrets_go_to_nobody_else(page: Page, ada: Person) -> None:
    async with web_service() as old, web_service() as new:
        old.answers = new.answers = speaks_mcp
        await add_server(ada, old.url, secrets={"X-Token": SECRET})
        await page.goto("/settings/tools")
        form = await editing(page, "test")
        await expect(form.get_by_label("Address")).to_have_value(old.url)
        await expect(form.get_by_label("Address")).to_be_focused()
        await expect(form.get_by_text("Stored: X-Token.")).to_be_visible()
        assert SECRET not in await page.content()

        await form.get_by_label("Address").fill(new.url)
        await form.get_by_role("button", name="Save").click()
        await expect(form.get_by_role("alert")).to_contain_text("Enter the secrets again")
        assert new.heard == []
        await form.get_by_label("Secrets,").fill("X-Token=fresh")
        await save(form)
        servers = panel(page, "MCP servers")
        await expect(servers.get_by_text(new.url)).to_be_visible()
        await expect(servers.get_by_text("reachable", exact=True)).to_be_visible()
        await expect(servers.get_by_text("1 of 1 tools may be used")).to_be_visible()
        assert {one.headers.get("x-token") for one in new.heard} == {"fresh"}

        form = await editing(page, "test")
        await form.get_by_label("How it is reached").select_option("A command")
        await form.get_by_label("Command").fill("/no/such/program")
        await form.get_by_label("Arguments").fill("--root\n/srv/my notes")
        await form.get_by_label("Remove the stored secrets").check()
        await expect(form.get_by_label("Secrets,")).to_be_disabled()
        await save(form)
        await expect(servers.get_by_text("/no/such/program --root /srv/my notes")).to_be_visible()
        await expect(servers.get_by_text("not reachable")).to_be_visible()
        (server,) = (await ada.get("/api/tool-servers")).json()["servers"]
        assert (server["arguments"], server["secret_names"]) == (["--root", "/srv/my notes"], [])


async def test_a_service_is_edited_and_keeps_what_was_ticked(page: Page, ada: Person) -> None:
    made = await weather(ada)
    await page.goto("/settings/tools")
    form = await editing(page, "weather")
    await expect(form.get_by_label("Name of the header or parameter")).to_have_value("X-Key")
    await expect(form.get_by_label("Key", exact=True)).to_have_value("")
    await expect(form.get_by_text("Ends in 4711. Leave empty to keep it.")).to_be_visible()
    more = WEATHER | {"info": {"title": "Weather and storms", "version": "2"}}
    await form.get_by_label("OpenAPI document").fill(json.dumps(more | {"paths": WEATHER["paths"] | STORMS}))
    await form.get_by_label("Address").fill("https://weather.example.org/v2")
    await save(form)

    services = panel(page, "Web services")
    await expect(services).to_contain_text("Weather and storms · https://weather.example.org/v2")
    await services.get_by_text("1 of 3 tools may be used").click()
    await expect(services.get_by_label("Models may use weather__now")).to_be_checked()
    (service,) = (await ada.get("/api/http-tools")).json()["services"]
    assert service | {"title": 0, "base_url": 0, "operations": 0} == made | dict.fromkeys(
        ("title", "base_url", "operations"), 0
    )

    form = await editing(page, "weather")
    await form.get_by_label("Address").fill("https://elsewhere.example.org")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_contain_text("Enter the secret again")
    await form.get_by_label("How a key is sent").select_option("No key")
    await save(form)
    await expect(services).to_contain_text("https://elsewhere.example.org")
    assert not (await ada.get("/api/http-tools")).json()["services"][0]["has_secret"]


async def test_members_edit_nothing(new_context: NewContext, world: World, ada: Person) -> None:
    await weather(ada)
    bob = await world.person(like=ada)
    context = await new_context(base_url=world.url, extra_http_headers=bearer(bob))
    page, watch = await open_page(context, world.url, "/settings/tools")
    await expect(panel(page, "Web services").get_by_role("heading", name="weather")).to_be_visible()
    await expect(page.get_by_role("button", name="Edit")).to_have_count(0)
    watch.check()


async def test_the_forms_can_be_used_by_everyone(look: Page, ada: Person) -> None:
    await weather(ada)
    command = {"slug": "wiki", "command": "uvx", "arguments": ["wiki"], "secrets": {"TOKEN": SECRET}}
    assert (await ada.post("/api/tool-servers", command)).status_code == 201
    await look.goto("/settings/tools")
    for slug in ("weather", "wiki"):
        await expect(await editing(look, slug)).to_be_visible()
        assert await serious(look) == [], slug
        await look.keyboard.press("Escape")
        await expect(look.get_by_role("button", name=f"Edit: {slug}")).to_be_focused()
