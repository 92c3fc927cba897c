"""Whatever a model, a provider or a person writes: nothing runs, and no request leaves."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import BrowserContext, Page, expect
from tests.e2e.hostile import EVERYTHING, HOSTILE, RUN, SHORT
from tests.e2e.screen import NewContext, ask, bearer, follow, invite, lane, shelf, show, table
from tests.e2e.watching import Watch
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import Json, Person, World

#: What no answer may bring into the page, once formulas and diagrams are left aside.
FOREIGN = (
    "script, iframe, frame, object, embed, form, meta, base, link, style, svg, math, input, textarea, "
    "select, dialog, template, video, audio, source, [style*='url('], [srcset], [background], "
    "[id], [class*=fixed]"
)
LOOK = f"""() => [...document.querySelectorAll('.prose')].flatMap((prose) => {{
  const own = [...prose.querySelectorAll('*')].filter((one) => !one.closest('figure, .katex, .katex-error'));
  const loud = [...prose.querySelectorAll('*')].filter((one) =>
    [...one.attributes].some(({{ name }}) => name.startsWith('on') || name === 'ping'));
  const led = [...prose.querySelectorAll('a')].filter((one) =>
    one.hasAttribute('href') && !['http:', 'https:', 'mailto:', 'tel:'].includes(one.protocol));
  return [...own.filter((one) => one.matches("{FOREIGN}")), ...loud, ...led].map((one) => one.outerHTML);
}})"""

KINDS = list(HOSTILE)


@pytest.fixture(params=["with the policy", "without it"])
async def reader(
    request: pytest.FixtureRequest, new_context: NewContext, world: World, ada: Person
) -> AsyncGenerator[Page]:
    """Ada's page, once with the page's policy and once held by the sanitiser alone."""
    alone = request.param == "without it"
    context: BrowserContext = await new_context(
        base_url=world.url, extra_http_headers=bearer(ada), bypass_csp=alone
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    assert await page.evaluate("window.__pwned") is None
    watch.check()


async def asked(ada: Person, provider: ScriptedProvider, texts: list[str]) -> Json:
    """Have a table of models answer, each with one of these texts."""
    for place, text in enumerate(texts):
        provider.script(f"hostile-{place}", Script(reply=text))
    await ada.post("/api/models/metadata/refresh")
    return await ada.start("What now?", models=[f"hostile-{place}" for place in range(len(texts))])


async def touch_everything(page: Page) -> None:
    """Do what sets handlers off: let all be drawn, point at things, open them, let pictures load."""
    await expect(page.get_by_text("Drawing the diagram")).to_have_count(0)
    await page.evaluate("""() => {
      for (const one of document.querySelectorAll('.prose *')) {
        for (const kind of ['mouseover', 'mouseenter', 'focus', 'load', 'error', 'toggle', 'pointerover'])
          one.dispatchEvent(new Event(kind));
        if (one instanceof HTMLDetailsElement) one.open = true;
      }
    }""")
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")


# What draws diagrams is one for the whole page: each kind of hostile ones is drawn first on some page.
@pytest.mark.parametrize("kinds", [KINDS[place::3] for place in range(3)], ids=", ".join)
async def test_no_answer_runs_anything_or_asks_anybody(
    kinds: list[str], reader: Page, ada: Person, provider: ScriptedProvider
) -> None:
    # The page knows the models that there were when it was loaded, and seats no others.
    for number in range(max(len(HOSTILE[kind]) for kind in kinds)):
        provider.script(f"hostile-{number}", Script(reply="Soon."))
    await ada.post("/api/models/metadata/refresh")
    await reader.goto("/")
    for kind in kinds:
        turn = await asked(ada, provider, HOSTILE[kind])
        await ada.finished(turn)
        await follow(reader, f"/c/{turn['conversation']['id']}")
        await expect(reader.locator(".prose")).to_have_count(len(HOSTILE[kind]))
        await touch_everything(reader)
        assert await reader.evaluate(LOOK) == [], kind
        assert await reader.evaluate("window.__pwned") is None, kind

        provider.script("hostile-0", Script(reply="Still at your service."))
        await ask(reader, "Are you well?")
        await expect(lane(reader, "hostile-0").last).to_contain_text("Still at your service.")


async def test_nothing_runs_while_an_answer_is_half_written(
    reader: Page, ada: Person, provider: ScriptedProvider
) -> None:
    text = "\n\n".join(text for text in EVERYTHING if len(text) < 400)
    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    provider.script("scripted-fast", Script(reply=pieces, tokens_per_second=500))
    turn = await ada.start("Slowly, please")
    await show(reader, turn)
    await ada.finished(turn)
    await expect(lane(reader, "scripted-fast")).to_have_attribute("aria-busy", "false")
    await touch_everything(reader)
    assert await reader.evaluate(LOOK) == []


async def test_a_title_a_question_a_project_and_a_providers_error_are_shown_as_written(
    reader: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(fault=Fault(kind="status", status=401, message=f"No: {SHORT}")))
    turn = await ada.start(SHORT)
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": SHORT})
    await ada.post("/api/projects", {"name": SHORT})
    await show(reader, turn)
    await expect(reader.get_by_role("heading", level=1)).to_have_text(SHORT)
    await expect(shelf(reader).get_by_role("link")).to_have_text(SHORT)
    await expect(reader.get_by_role("navigation", name="Projects")).to_contain_text(SHORT)
    await expect(reader.get_by_role("article").locator("p").first).to_have_text(SHORT)
    await expect(reader).to_have_title(f"{SHORT} · Tertulia")
    await expect(lane(reader, "scripted-fast")).to_contain_text(f"No: {SHORT}")
    await reader.keyboard.press("Control+k")
    await expect(reader.get_by_role("listbox")).to_contain_text(SHORT)


async def test_the_names_of_models_and_files_are_shown_as_written(
    reader: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script(SHORT, Script(reply="My name is harmless.", title=SHORT))
    await ada.post("/api/models/metadata/refresh")
    await reader.goto("/models")
    await expect(reader.get_by_role("table")).to_contain_text(SHORT)
    await follow(reader, "/")
    await invite(reader, SHORT)
    await expect(table(reader)).to_have_count(2)
    await ask(reader, "Who are you?")
    await expect(reader.get_by_text("My name is harmless.")).to_be_visible()
    await expect(reader.get_by_role("heading", level=2).filter(has_text="onerror")).to_be_visible()

    name = "<img src=x onerror=window.__pwned=1>.txt"
    await follow(reader, "/")
    await reader.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": b"no picture"}
    )
    await expect(reader.get_by_label("Your message")).to_have_value(f'#"attachments/{name}" ')


async def test_an_address_that_says_where_to_go_next_stays_here(reader: Page, world: World) -> None:
    for address in (f"javascript:{RUN}", "//evil.invalid/", "https://evil.invalid", "/\\evil.invalid"):
        await reader.goto(f"/signin?next={address}")
        await expect(reader.get_by_label("Your message")).to_be_visible()
        assert reader.url == f"{world.url}/"


async def test_the_alarm_of_these_tests_rings(new_context: NewContext, world: World, ada: Person) -> None:
    context = await new_context(base_url=world.url, extra_http_headers=bearer(ada), bypass_csp=True)
    page = await context.new_page()
    watch = Watch(page, world.url)
    await page.goto("/")
    await expect(page.get_by_label("Your message")).to_be_visible()
    await page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", SHORT)
    await page.wait_for_function("window.__pwned === 1")
    await page.evaluate(
        "document.body.append(Object.assign(new Image(), {src: 'https://evil.invalid/i.png'}))"
    )
    await page.wait_for_function("document.images.length > 0")
    assert watch.dialogs == ["1"]
    assert watch.strangers == ["https://evil.invalid/i.png"]
