"""Projects on the screen are those that there are, whoever changed them."""

from playwright.async_api import Locator, Page, Route, expect
from tests.e2e.screen import follow
from tests.world import Person


def listed(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Projects")


async def test_a_project_made_elsewhere_is_listed_and_keeps_up(page: Page, ada: Person) -> None:
    await page.goto("/")
    await expect(listed(page)).to_contain_text("General")
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()
    await expect(listed(page)).to_contain_text("Garden")

    await follow(page, f"/projects/{project['id']}")
    await page.get_by_label("Brief").fill("Half a thou")
    await ada.put(f"/api/projects/{project['id']}", {"name": "Garden house"})
    await expect(page.get_by_label("Name")).to_have_value("Garden house")
    await expect(page.get_by_label("Brief")).to_have_value("Half a thou")
    await page.get_by_label("Brief").blur()
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()

    await follow(page, "/")
    await expect(listed(page)).to_contain_text("Garden house")
    await ada.delete(f"/api/projects/{project['id']}")
    await expect(listed(page)).not_to_contain_text("Garden house")


async def test_a_project_that_is_deleted_while_it_is_open_says_so(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()
    await page.goto(f"/projects/{project['id']}")
    await expect(page.get_by_label("Name")).to_have_value("Garden")
    await ada.delete(f"/api/projects/{project['id']}")
    await expect(page.get_by_text("This project was deleted.")).to_be_visible()
    await expect(page.get_by_label("Name")).to_have_count(0)


async def test_a_list_of_projects_that_fails_at_first_says_so_and_comes_by_itself(page: Page) -> None:
    failures = 2

    async def fail_at_first(route: Route) -> None:
        nonlocal failures
        failures -= 1
        await (route.abort() if failures >= 0 else route.continue_())

    await page.route("**/api/projects?*", fail_at_first)
    await page.goto("/")
    await expect(listed(page)).to_contain_text("cannot be reached just now")
    await expect(listed(page)).to_contain_text("General")
    await expect(listed(page).get_by_role("alert")).to_have_count(0)
