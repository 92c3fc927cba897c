"""Tasks before a browser: written in one line, arranged, done, changed together and brought back."""

import re
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer
from tests.e2e.watching import Watch
from tests.world import Json, Person, World

PHONE = {"width": 390, "height": 844}


@pytest.fixture
async def phone(new_context: NewContext, world: World, ada: Person) -> AsyncGenerator[Page]:
    """Ada's phone, with nothing that moves."""
    context = await new_context(
        base_url=world.url,
        extra_http_headers=bearer(ada),
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


async def add(person: Person, title: str, **more: object) -> Json:
    answer = await person.post("/api/tasks", {"title": title, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def titles(person: Person, **query: object) -> list[str]:
    """Return what the server lists, in its order."""
    page = (await person.get("/api/tasks", params=query)).json()
    return [task["title"] for task in page["tasks"]]


def tasks(page: Page) -> Locator:
    return page.get_by_role("list", name="Tasks", exact=True).get_by_role("listitem")


def column(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=re.compile(f"^{name}")).get_by_role("listitem")


async def height(place: Locator) -> float:
    box = await place.bounding_box()
    return box["height"] if box else 0


async def write(page: Page, line: str) -> None:
    await page.get_by_role("textbox", name="Add a task").fill(line)


async def test_a_line_of_words_is_understood_before_it_is_saved(page: Page, ada: Person) -> None:
    await page.goto("/tasks")
    await expect(page.get_by_text("Nothing to do yet")).to_be_visible()
    await page.keyboard.press("n")
    await write(page, "Call Mara on 20 November 2030 !high #home for 30 minutes")
    understood = page.get_by_role("list", name="What was understood").get_by_role("listitem")
    await expect(understood).to_contain_text(
        ["Due Wednesday 20 November 2030", "30 min", "High priority", "home"]
    )
    await page.keyboard.press("Enter")
    await expect(tasks(page)).to_contain_text(["Call Mara"])
    await write(page, "Read the report on 3 May 2031")
    await page.get_by_role("button", name="is no date: keep it in the title").click()
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(tasks(page)).to_contain_text(["Call Mara", "Read the report on 3 May 2031"])
    made = (await ada.get("/api/tasks")).json()["tasks"]
    assert [
        (task["title"], task["due_date"], task["priority"], task["tags"], task["duration_minutes"])
        for task in made
    ] == [
        ("Call Mara", "2030-11-20", "high", ["home"], 30),
        ("Read the report on 3 May 2031", None, "medium", [], None),
    ]


async def test_tasks_are_done_edited_and_deleted_with_ways_back(page: Page, ada: Person) -> None:
    await add(ada, "Water the plants")
    await add(ada, "Feed the cat")
    await page.goto("/tasks")
    await page.get_by_role("button", name="Mark as done: Water the plants").click()
    await expect(tasks(page)).to_have_count(1)
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(tasks(page)).to_have_count(2)

    await page.keyboard.press("j")
    await expect(page.get_by_role("link", name="Feed the cat")).to_be_focused()
    await page.keyboard.press("k")
    await expect(page.get_by_role("link", name="Water the plants")).to_be_focused()
    await page.keyboard.press("e")
    await page.get_by_label("Title", exact=True).fill("Water all plants")
    await page.get_by_label("Priority", exact=True).select_option("High")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("link", name="Water all plants")).to_be_focused()

    await page.keyboard.press("Delete")
    await expect(tasks(page)).to_contain_text(["Feed the cat"])
    await expect(tasks(page)).to_have_count(1)
    await page.get_by_role("button", name="Undo", exact=True).last.click()
    await expect(tasks(page)).to_contain_text(["Water all plants", "Feed the cat"])


async def test_several_are_selected_with_keys_and_changed_with_one_undo(page: Page, ada: Person) -> None:
    for title in ("Bread", "Milk", "Salt"):
        await add(ada, title, priority="low" if title == "Milk" else "medium")
    await page.goto("/tasks")
    await expect(tasks(page)).to_have_count(3)
    for key in ("j", "x", "j", "x"):
        await page.keyboard.press(key)
    await expect(page.get_by_role("toolbar", name="2 tasks selected")).to_be_visible()
    await page.get_by_role("button", name="Set the priority").click()
    await page.get_by_role("menuitem", name="High").click()
    await expect(page.get_by_text("2 tasks changed.")).to_be_visible()
    assert await titles(ada, priority="high") == ["Bread", "Milk"]
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(tasks(page).nth(1)).to_contain_text("Low")
    assert await titles(ada, priority="medium") == ["Bread", "Salt"]

    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(tasks(page)).to_have_count(1)
    await page.get_by_role("button", name="Undo", exact=True).last.click()
    await expect(tasks(page)).to_contain_text(["Bread", "Milk", "Salt"])


async def test_a_board_is_arranged_with_the_pointer_and_with_keys(page: Page, ada: Person) -> None:
    for title in ("One", "Two", "Three"):
        await add(ada, title)
    await page.goto("/tasks?view=board")
    await expect(column(page, "Backlog")).to_contain_text(["One", "Two", "Three"])
    await column(page, "Backlog").nth(0).drag_to(page.get_by_role("region", name="In progress"))
    await expect(column(page, "In progress")).to_contain_text(["One"])
    await expect(column(page, "Backlog")).to_have_count(2)

    await column(page, "Backlog").nth(1).get_by_role("link").focus()
    await page.keyboard.press("Shift+ArrowUp")
    await expect(column(page, "Backlog")).to_contain_text(["Three", "Two"])
    await expect(page.get_by_text("Three: Backlog, place 1 of 2.")).to_be_attached()
    await expect(page.get_by_role("link", name="Three")).to_be_focused()
    await page.keyboard.press("Shift+ArrowRight")
    await expect(column(page, "In progress")).to_contain_text(["Three", "One"])
    await page.reload()
    await expect(column(page, "In progress")).to_contain_text(["Three", "One"])
    await expect(column(page, "Backlog")).to_contain_text(["Two"])
    assert await titles(ada, status="in_progress") == ["Three", "One"]


async def test_a_list_keeps_its_filters_in_the_address_and_is_live(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Harbour"})).json()["id"]
    await add(ada, "Paint the boat", project_id=project, tags=["boat"])
    await add(ada, "Buy brushes", tags=["shop"])
    await page.goto("/tasks")
    await page.get_by_role("button", name="#boat").click()
    await expect(page).to_have_url(re.compile("tag=boat"))
    await expect(tasks(page)).to_contain_text(["Paint the boat"])
    await expect(tasks(page)).to_have_count(1)
    await page.get_by_role("button", name="Filters (1)").click()
    await page.get_by_label("Project", exact=True).select_option("Harbour")
    await page.keyboard.press("Escape")
    await page.reload()
    await expect(page.get_by_role("button", name="Filters (2)")).to_be_visible()
    await add(ada, "Sand the boat", project_id=project, tags=["boat"])
    await expect(tasks(page)).to_contain_text(["Paint the boat", "Sand the boat"])
    await page.get_by_role("searchbox", name="Search tasks").fill("nothing like this")
    await expect(page.get_by_text("No task fits")).to_be_visible()
    await page.get_by_role("button", name="Clear the filters").click()
    await expect(tasks(page)).to_have_count(3)


async def test_a_task_has_a_page_with_its_fields_its_history_and_a_conversation(
    page: Page, ada: Person
) -> None:
    task = await add(ada, "Write the report", due_date="2030-11-22")
    await page.goto("/tasks")
    await page.get_by_role("link", name="Write the report").click()
    await expect(page).to_have_url(re.compile(f"/tasks/{task['id']}$"))
    await page.get_by_role("textbox", name="Title").fill("Write the long report")
    await page.keyboard.press("Enter")
    await page.get_by_role("textbox", name="Tags").fill("work")
    await page.keyboard.press("Enter")
    await page.get_by_label("Status").select_option("In progress")
    await page.get_by_label("Repeats").select_option("Every week on Friday")
    await page.get_by_label("Ends").select_option("After a number of times")
    history = page.get_by_role("list", name="History").get_by_role("listitem")
    await expect(history.first).to_contain_text("Every week on Friday, 10 times")
    await expect(history.last).to_contain_text("Made")
    await expect(page.get_by_text("Friday 22 November 2030")).to_be_visible()
    kept = (await ada.get(f"/api/tasks/{task['id']}")).json()
    assert (kept["title"], kept["tags"], kept["status"], kept["rrule"]) == (
        "Write the long report",
        ["work"],
        "in_progress",
        "FREQ=WEEKLY;BYDAY=FR;COUNT=10",
    )
    await page.get_by_role("button", name="Talk about it").click()
    await expect(page).to_have_url(re.compile("/c/cnv_"))
    await expect(page.get_by_label("Your message")).to_be_visible()
    await page.goto("/tasks/tsk_nothing")
    await expect(page.get_by_text("This task is no longer there.")).to_be_visible()


async def test_a_task_is_put_on_the_calendar_where_there_is_time(page: Page, ada: Person) -> None:
    task = await add(
        ada, "Write the report", duration_minutes=45, start_date="2030-11-20", due_date="2030-11-22"
    )
    await page.goto(f"/tasks/{task['id']}")
    await page.get_by_role("button", name="Find free times").click()
    slots = page.get_by_role("group", name="Free times").get_by_role("button")
    await expect(slots.first).to_contain_text("09:00")
    await slots.first.click()
    await expect(page.get_by_text("Wednesday 20 November 2030, 09:00")).to_be_visible()
    await page.get_by_role("button", name="Take it off the calendar").click()
    await expect(page.get_by_role("button", name="Find free times")).to_be_visible()
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(page.get_by_text("Wednesday 20 November 2030, 09:00")).to_be_visible()


async def test_phases_order_a_project_and_show_how_far_it_has_come(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Harbour"})).json()["id"]
    await page.goto(f"/projects/{project}")
    for name in ("Research", "Design"):
        await page.get_by_role("button", name="Add a phase").click()
        await page.get_by_label("Name of the phase").fill(name)
        await page.get_by_label("First day").fill("2030-11-01")
        await page.get_by_label("Last day").fill("2030-11-30")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("progressbar", name=f"Progress of {name}")).to_be_visible()
    phases = page.get_by_role("list", name="Phases").get_by_role("listitem")
    await expect(phases.first).to_contain_text("30 November 2030")
    design = (await ada.get(f"/api/projects/{project}/phases")).json()["phases"][1]["id"]
    await add(ada, "Sketch", project_id=project, phase_id=design, status="done")
    await add(ada, "Paint", project_id=project, phase_id=design)
    await expect(phases.nth(1)).to_contain_text("1 of 2 done")
    await expect(tasks(page)).to_contain_text(["Paint"])
    await page.get_by_role("button", name="More: Design").click()
    await page.get_by_role("menuitem", name="Move up").click()
    await expect(phases).to_contain_text(["Design", "Research"])
    await page.get_by_role("button", name="More: Design").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await expect(phases).to_have_count(1)
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(phases).to_contain_text(["Design", "Research"])
    await phases.first.get_by_role("link", name="Design").click()
    await expect(tasks(page)).to_contain_text(["Sketch", "Paint"])


async def test_a_phone_shows_all_of_it_without_scrolling_sideways(phone: Page, ada: Person) -> None:
    task = await add(
        ada, "A title that is as long as people write them when they are in a hurry", tags=["home"]
    )
    await add(ada, "Milk")
    for path in ("/tasks", "/tasks?view=board", f"/tasks/{task['id']}"):
        await phone.goto(path)
        await expect(phone.get_by_text(task["title"]).first).to_be_visible()
        assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    await phone.goto("/tasks?view=board")
    await phone.get_by_role("button", name="More: Milk").click()
    async with phone.expect_response("**/api/tasks/*/move"):
        await phone.get_by_role("menuitem", name="Move to In progress").click()
    await expect(column(phone, "In progress")).to_contain_text(["Milk"])
    assert await titles(ada, status="in_progress") == ["Milk"]


async def test_axe_finds_nothing_serious(look: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Harbour"})).json()["id"]
    body = {"name": "Design", "start_date": "2020-11-01", "end_date": "2020-11-30"}
    phase = (await ada.post(f"/api/projects/{project}/phases", body)).json()["id"]
    task = await add(
        ada,
        "Paint",
        project_id=project,
        phase_id=phase,
        priority="high",
        tags=["boat"],
        due_date="2020-11-20",
    )
    await add(ada, "Sketch", project_id=project, status="done", rrule="FREQ=DAILY;COUNT=1")
    found: dict[str, list[str]] = {}
    for path in ("/tasks?status=all", "/tasks?view=board", f"/tasks/{task['id']}", f"/projects/{project}"):
        await look.goto(path)
        await expect(look.get_by_text("Paint").first).to_be_visible()
        found[path] = await serious(look)
    await look.goto("/tasks")
    await write(look, "Call Mara on 20 November 2030 !high #home")
    await expect(look.get_by_text("Due Wednesday 20 November 2030")).to_be_visible()
    await look.get_by_role("checkbox", name="Select: Paint").check()
    found["selected"] = await serious(look)
    assert found == {path: [] for path in found}


async def test_twice_the_size_leaves_room_for_the_board_and_the_hours(look: Page, ada: Person) -> None:
    for title in ("Water the plants", "Feed the cat", "Paint the shed"):
        await add(ada, title)
    await look.set_viewport_size({"width": 720, "height": 450})
    await look.goto("/tasks?view=board")
    await expect(column(look, "Backlog")).to_have_count(3)
    assert await height(look.get_by_role("region", name=re.compile("^Backlog"))) > 250
    await column(look, "Backlog").last.scroll_into_view_if_needed()
    await expect(column(look, "Backlog").last).to_be_in_viewport()
    await look.set_viewport_size({"width": 640, "height": 256})
    for view in ("week", "month"):
        await look.goto(f"/calendar?view={view}&date=2030-03-04")
        assert await height(look.get_by_role("region", name="March 2030")) > 250
