"""`python -m scripts.screenshots [NAME…]`: draw every screen of the web app into docs/screenshots/."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Page, async_playwright
from tests.e2e.conftest import QUIET, chromium
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, World

from scripts.demo import PASSWORD, QUESTION, TABLE, Demo, answer, opened, three_providers

TARGET = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
#: The picture in the README; the others are smaller as JPEG.
SHARP = "conversation-wide-light"
SLOW = 6.0
Scheme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Shot:
    """A screen, and how to get there."""

    name: str
    path: str
    then: Callable[[Page], Awaitable[None]] | None = None
    sizes: tuple[str, ...] = ("wide", "phone")


async def settled(page: Page) -> None:
    """Wait until nothing is fetched, drawn or faded in any more."""
    await page.wait_for_load_state("load")
    await page.wait_for_timeout(900)


async def sign_in(page: Page) -> None:
    """Enter as Ada does."""
    await page.goto("/signin")
    await page.get_by_label("Email").fill("ada@example.org")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/")
    await settled(page)


async def palette(page: Page) -> None:
    """Search for something in the palette."""
    await page.keyboard.press("Control+k")
    await page.wait_for_timeout(300)
    await page.keyboard.type("se", delay=30)


async def temporary(page: Page) -> None:
    """Choose that what is begun leaves nothing behind."""
    await page.get_by_role("button", name="Temporary conversation").click()


async def shortcuts(page: Page) -> None:
    """Show the keys."""
    await page.keyboard.press("?")


async def drawer(page: Page) -> None:
    """Open the sidebar of a narrow window."""
    await page.locator("header button").first.click()


async def to_the_top(page: Page) -> None:
    """Scroll to the first round."""
    region = page.get_by_role("region", name="Conversation")
    for _ in range(4):
        await region.evaluate("(one) => one.scrollTo(0, 0)")
        await page.wait_for_timeout(200)


async def tree(page: Page) -> None:
    """Open the folders of the files page."""
    for folder in ("docs", "src", "signup"):
        await page.get_by_role("treeitem", name=folder).click()


async def code(page: Page) -> None:
    """Open a file with code, and mark some lines of it."""
    await tree(page)
    await page.get_by_role("treeitem", name="filter.py").click()
    await page.get_by_role("button", name="Line 9", exact=True).click()
    await page.get_by_role("button", name="Line 12", exact=True).click(modifiers=["Shift"])


async def drawn(page: Page) -> None:
    """Wait for what is fetched only where it is needed: colours of code, formulas, diagrams."""
    await page.get_by_role("article").last.locator("img, .katex").first.wait_for(state="attached")
    await page.wait_for_timeout(2500)


async def why(page: Page) -> None:
    """Show why the first hit is the first."""
    await page.get_by_text("Why here?").first.click()


async def filters(page: Page) -> None:
    """Open the filters of a search."""
    await page.get_by_role("button", name="Filters").click()


async def citation(page: Page) -> None:
    """Show the source of a citation."""
    await page.locator("[data-reference]").first.focus()
    await page.get_by_role("dialog").wait_for()
    await page.wait_for_timeout(800)


async def sources(page: Page) -> None:
    """List the sources of a reply."""
    await page.get_by_text("Sources:").click()
    await page.get_by_role("button", name="Read the passage").first.click()
    await page.wait_for_timeout(800)


async def receipt(page: Page) -> None:
    """Show what a model was shown."""
    await page.get_by_role("button", name="What it was shown").last.click()
    await page.get_by_text("Kept free for the answer").wait_for()


async def meter(page: Page) -> None:
    """Show how full a conversation is."""
    await page.get_by_role("button", name="Context").last.click()
    await page.wait_for_timeout(800)


def shots(demo: Demo) -> list[Shot]:
    """Return every screen of somebody who is signed in."""
    conversation, project = f"/c/{demo.conversation}", f"/projects/{demo.project}"
    tabs = ("profile", "appearance", "sessions", "tokens", "members", "workspace", "audit")
    return [
        Shot("new", "/"),
        Shot("temporary", "/", temporary),
        Shot("conversation", conversation, drawn),
        Shot("merged", conversation, to_the_top),
        Shot("project", project),
        Shot("files", f"{project}/files", tree),
        Shot("files-code", f"{project}/files", code),
        Shot("projects", "/projects"),
        Shot("models", "/models"),
        Shot("models-connections", "/models/connections", sizes=("wide",)),
        Shot("models-presets", "/models/presets", sizes=("wide",)),
        *(Shot(f"settings-{tab}", f"/settings/{tab}", sizes=("wide",)) for tab in tabs),
        Shot("settings", "/settings", sizes=("phone",)),
        Shot("search", "/search?q=rebuild+the+filter", why),
        Shot("search-filters", "/search?q=filter&kind=file&type=py", filters),
        Shot("search-nothing", "/search?q=pineapple&tag=fruit", sizes=("wide",)),
        Shot("citation", f"/c/{demo.cited}", citation),
        Shot("sources", f"/c/{demo.cited}", sources),
        Shot("receipt", f"/c/{demo.cited}", receipt),
        Shot("meter", conversation, meter),
        Shot("tools-at-work", f"/c/{demo.worked}"),
        Shot("project-tools", f"{project}/tools"),
        Shot("settings-tools", "/settings/tools"),
        Shot("settings-retrieval", "/settings/retrieval"),
        Shot("memory", "/memory"),
        Shot("memory-inbox", "/memory/inbox"),
        Shot("memory-profile", "/memory/profile"),
        Shot("palette", conversation, palette),
        Shot("shortcuts", "/models", shortcuts, sizes=("wide",)),
        Shot("drawer", conversation, drawer, sizes=("phone",)),
    ]


class Camera:
    """Takes pictures with one browser."""

    def __init__(self, browser: Browser, wanted: list[str]) -> None:
        self._browser = browser
        self._wanted = wanted

    def wants(self, name: str) -> bool:
        """Tell whether a screen was asked for."""
        return not self._wanted or name in self._wanted

    @asynccontextmanager
    async def page(
        self, world: World, size: str, scheme: Scheme, *, signed_in: bool = True
    ) -> AsyncGenerator[Page]:
        """Open a window of a size, in the light or in the dark."""
        width, height = SIZES[size]
        context = await self._browser.new_context(
            base_url=world.url,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        try:
            page = await context.new_page()
            if signed_in:
                await sign_in(page)
            yield page
        finally:
            await context.close()

    async def take(self, world: World, wanted: list[Shot], *, signed_in: bool = True) -> None:
        """Take screens at every size, light and dark."""
        for size in SIZES:
            for scheme in ("light", "dark"):
                async with self.page(world, size, scheme, signed_in=signed_in) as page:
                    for shot in wanted:
                        if size in shot.sizes and self.wants(shot.name):
                            await self.go(page, shot)
                            await self.keep(page, f"{shot.name}-{size}-{scheme}")

    async def go(self, page: Page, shot: Shot) -> None:
        """Open a screen afresh."""
        await page.goto("about:blank")
        await page.goto(shot.path)
        await settled(page)
        if shot.then:
            await shot.then(page)
            await page.wait_for_timeout(600)

    async def keep(self, page: Page, name: str) -> None:
        """Write down what is seen."""
        if name == SHARP:
            await page.screenshot(path=TARGET / f"{name}.png")
        else:
            await page.screenshot(path=TARGET / f"{name}.jpg", type="jpeg", quality=80)
        print(name)

    async def streaming(self, demo: Demo) -> None:
        """Take a conversation while three models write, each at its own pace."""
        for size in SIZES:
            for scheme in ("light", "dark"):
                async with self.page(demo.world, size, scheme) as page:
                    turn = await begin(demo)
                    await self.go(page, Shot("streaming", f"/c/{turn['conversation']['id']}"))
                    await page.wait_for_timeout(2500)
                    await self.keep(page, f"streaming-{size}-{scheme}")
                    await demo.ada.post(f"/api/rounds/{turn['round']['id']}/stop")
                    await demo.ada.finished(turn)
                    await demo.ada.delete(f"/api/conversations/{turn['conversation']['id']}")


async def begin(demo: Demo) -> Json:
    """Ask the table something that it answers slowly."""
    for place, model in enumerate(TABLE):
        demo.script(model, answer(model, pace=SLOW + 2 * place))
    turn = await demo.ada.start(QUESTION, models=list(TABLE))
    await demo.ada.put(
        f"/api/conversations/{turn['conversation']['id']}/title", {"title": "The size of a filter"}
    )
    return turn


async def main(wanted: list[str], providers: dict[str, ScriptedProvider]) -> None:
    """Take every picture, or those that are named."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tertulia-shots-") as folder:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=QUIET)
            camera = Camera(browser, wanted)
            async with World.open(Path(folder) / "new") as world:
                await camera.take(world, [Shot("setup", "/setup#example")], signed_in=False)
            async with opened(Path(folder) / "demo", providers) as demo:
                await camera.take(demo.world, [Shot("signin", "/signin")], signed_in=False)
                await camera.take(demo.world, shots(demo))
                if camera.wants("streaming"):
                    await camera.streaming(demo)
            await browser.close()


if __name__ == "__main__":
    with three_providers() as running:
        asyncio.run(main(sys.argv[1:], running))
