"""What another site can do with a person's browser: nothing."""

import pytest
from playwright.async_api import BrowserContext, Page, expect
from tests.accounts_door import PASSWORD, quick_hashes
from tests.e2e.screen import NewContext
from tests.world import World, free_port

from tertulia.accounts.setup import ensure_setup_link

#: Each leaves a token or a conversation behind if it is let in.
ATTACKS = {
    "a form": """
      const form = document.createElement('form');
      Object.assign(form, {method: 'POST', action: HOME + '/api/tokens', target: 'hole'});
      const field = document.createElement('input');
      Object.assign(field, {name: '{"name":"evil","x":"', value: '"}'});
      form.enctype = 'text/plain'; form.append(field); document.body.append(form); form.submit();""",
    "a simple request": """
      fetch(HOME + '/api/tokens', {method: 'POST', mode: 'no-cors', credentials: 'include',
        body: JSON.stringify({name: 'evil'})}).catch(() => 0)""",
    "a request with a preflight": """
      fetch(HOME + '/api/tokens', {method: 'POST', credentials: 'include',
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({name: 'evil'})}).catch(() => 0)""",
    "a beacon": """
      navigator.sendBeacon(HOME + '/api/tokens', new Blob([JSON.stringify({name: 'evil'})]))""",
}
READ = """async (home) => {
  try { return await (await fetch(home + '/api/me', {credentials: 'include'})).text() } catch { return null }
}"""


@pytest.fixture
async def signed_in(monkeypatch: pytest.MonkeyPatch, new_context: NewContext, world: World) -> BrowserContext:
    """The browser of an owner with a session cookie."""
    quick_hashes(monkeypatch)
    context = await new_context(base_url=world.url)
    body = {"token": await ensure_setup_link(world.db), "email": "ana@example.org", "password": PASSWORD}
    answer = await context.request.post("/api/setup", data=body | {"name": "Ana"})
    assert answer.ok, await answer.text()
    return context


@pytest.fixture(params=["another site", "another port of the same host"])
async def evil(request: pytest.FixtureRequest, signed_in: BrowserContext) -> Page:
    """A page from elsewhere, in the same browser; the cookie knows no ports."""
    elsewhere = "evil.test" if request.param == "another site" else f"127.0.0.1:{free_port()}"
    page = await signed_in.new_page()
    html = "<!doctype html><title>Evil</title><body><iframe name=hole></iframe>"
    await page.route(f"http://{elsewhere}/", lambda route: route.fulfill(body=html, content_type="text/html"))
    await page.goto(f"http://{elsewhere}/")
    return page


async def test_a_foreign_page_changes_nothing_with_the_cookie(
    evil: Page, signed_in: BrowserContext, world: World
) -> None:
    for attack in ATTACKS.values():
        await evil.evaluate("async (home) => { const HOME = home;" + attack + "}", world.url)
    await evil.evaluate("new Promise((done) => setTimeout(done, 300))")
    tokens = await (await signed_in.request.get("/api/tokens")).json()
    assert tokens["items"] == []
    made = await signed_in.request.post("/api/tokens", data={"name": "mine"}, headers={"Origin": world.url})
    assert made.ok, "the same request from our own page must work, or this test says nothing"


async def test_a_foreign_page_reads_nothing_with_the_cookie(evil: Page, world: World) -> None:
    assert await evil.evaluate(READ, world.url) is None


async def test_a_foreign_page_cannot_show_us_in_a_frame(evil: Page, world: World) -> None:
    await evil.evaluate("(home) => { document.querySelector('iframe').src = home + '/' }", world.url)
    await evil.wait_for_function("document.querySelector('iframe').contentDocument === null")
    frame = evil.frame(name="hole")
    assert frame is not None
    await expect(evil.frame_locator("iframe").get_by_label("Your message")).to_have_count(0)
    assert not frame.url.startswith(world.url)


async def test_every_page_says_that_it_must_not_be_framed(signed_in: BrowserContext) -> None:
    for path in ("/", "/signin", "/settings", "/api/me"):
        headers = (await signed_in.request.get(path)).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
