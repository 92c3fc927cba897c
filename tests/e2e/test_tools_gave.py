"""What tools give, before a browser: figures, tables, files, how far they are, and that they wait."""

import json
from pathlib import Path

from playwright.async_api import Page, ViewportSize, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer, lane, open_page, shelf, show
from tests.e2e.test_tools_at_work import LETTER, MODEL, call_line, card, ends, works
from tests.e2e.test_tools_pages import WORDS, bench, project_with
from tests.scripted_provider import ScriptedCall, ScriptedProvider
from tests.tools_world import SendLetter, give_letters
from tests.world import Person, World

__all__ = ["bench"]
PHONE: ViewportSize = {"width": 390, "height": 844}
CODE = f"""
import matplotlib.pyplot as plt, pandas
plt.figure(figsize=(4, 2))
plt.plot([1, 4, 2])
with open("/project/tools/words.py", "w") as file:
    _ = file.write({WORDS.replace("how many words", "the number of words")!r})
pandas.DataFrame({{"plant": ["quince", "=1+1"], "kilos": [12.5, 3]}})
"""


async def test_figures_tables_and_files_stand_in_the_trace(
    bench: World, new_context: NewContext, provider: ScriptedProvider
) -> None:
    person = await bench.person(role="owner")
    project = await project_with(person, words=WORDS)
    context = await new_context(
        base_url=bench.url, extra_http_headers=bearer(person), reduced_motion="reduce"
    )
    page, watch = await open_page(context, bench.url, f"/projects/{project}/tools")
    await expect(page.get_by_text("Models can run Python here")).to_be_visible(timeout=60_000)
    works(provider, ScriptedCall(name="run_python", arguments=json.dumps({"code": CODE})))
    await show(page, await person.start("Draw it", project_id=project))
    await expect(lane(page, MODEL)).to_have_attribute("aria-busy", "false", timeout=180_000)

    picture = page.get_by_role("img", name="Picture drawn by run_python")
    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("complete", value=True)
    assert await picture.evaluate("image => image.naturalWidth") > 100
    table = page.get_by_role("region", name="Table from run_python").get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["", "plant", "kilos"])
    await expect(table.get_by_role("cell", name="12.5")).to_have_css("text-align", "right")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download as CSV").click()
    saved = await (await download.value).path()
    assert lines_of(saved) == [",plant,kilos", "0,quince,12.5", "1,'=1+1,3.0"]

    await page.get_by_text("What changed").click()
    diff = page.get_by_role("region", name="Changes from version 1 to version 2")
    await expect(diff.locator("[data-change=added]")).to_contain_text("the number of words")
    await expect(diff.locator("[data-change=removed]")).to_contain_text("how many words")
    assert await serious(page) == []
    await page.emulate_media(color_scheme="dark")
    await page.set_viewport_size(PHONE)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await serious(page) == []

    await page.get_by_role("link", name="tools/words.py").click()
    await expect(page.get_by_role("heading", name="words.py")).to_be_visible()
    await context.close()
    watch.check()


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


async def test_how_far_a_tool_is_stands_under_it(
    page: Page, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    letters = give_letters(world, SendLetter(share=0.4))
    letters.may_end.clear()
    works(provider, LETTER)
    turn = await ada.start("Write to Ada")
    await show(page, turn)
    await card(page).get_by_role("button", name="Allow once").click()
    bar = page.get_by_role("progressbar", name="How far send_letter is")
    await expect(bar).to_have_attribute("aria-valuenow", "40")
    await expect(lane(page, MODEL)).to_contain_text("40 %")
    assert await serious(page) == []
    letters.may_end.set()
    await ends(page)
    await expect(bar).to_have_count(0)
    await expect(call_line(page, "send_letter")).to_contain_text("done")


async def test_a_hand_marks_the_conversation_that_waits(
    page: Page, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    give_letters(world)
    works(provider, LETTER)
    turn = await ada.start("Write to Ada")
    await page.goto("/")
    waits = shelf(page).get_by_role("link").filter(has_text="A tool waits for your yes")
    await expect(waits).to_have_attribute("href", f"/c/{turn['conversation']['id']}")
    assert await serious(page) == []
    await waits.click()
    await card(page).get_by_role("button", name="Allow once").click()
    await ends(page)
    await expect(waits).to_have_count(0)
