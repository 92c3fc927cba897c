"""A page before the rules of axe, light and dark."""

from pathlib import Path

from playwright.async_api import Page, expect
from tests.world import Json

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """([selector, options]) =>
    axe.run(selector ?? document, { resultTypes: ['violations'], ...options })
        .then((found) => found.violations)"""
#: Not what takes long and is never looked at: every style sheet read anew, a path to each element.
QUICK: Json = {"preload": {"assets": ["media"]}, "selectors": False}
#: The rules that depend on colours: all that can be otherwise in the dark.
COLOURS_ONLY: Json = QUICK | {"runOnly": ["color-contrast", "link-in-text-block"]}


async def serious(page: Page) -> list[str]:
    """Return what axe calls serious or critical on a page, light and dark, and where it is."""
    return [
        f"{violation['id']}: {node['html']} ({'; '.join(check['message'] for check in node['any'])})"
        for violation in await violations(page)
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


async def violations(
    page: Page, *, in_dark: bool = True, within: str | None = None, within_in_dark: str | None = None
) -> list[Json]:
    """Return all that axe finds on a page as it stands, or within what a selector names."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text("utf-8"))
    found: list[Json] = await page.evaluate(RUN, [within, QUICK])
    if in_dark:
        await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        found += await page.evaluate(RUN, [within_in_dark or within, COLOURS_ONLY])
        await page.emulate_media(color_scheme="light", reduced_motion="reduce")
        await expect(page.locator("html")).to_have_attribute("data-theme", "light")
    return found
