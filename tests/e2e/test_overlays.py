"""Everything that opens above the page before the rules of axe, light and dark, wide and on a phone."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import FilePayload, Locator, Page, Route, ViewportSize, expect
from tests.documents import archive
from tests.e2e.axe import violations
from tests.e2e.screen import follow, lane
from tests.e2e.test_reminder_pages import remind
from tests.e2e.test_tools_pages import WEATHER
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

FEATURES = Path(__file__).parents[2] / "web" / "src" / "features"
#: What draws something above the page: our own parts, or those that they are made of.
PRIMITIVE = re.compile(
    r"import \w+(?:, \{[^}]*\})? from '\$ui/(?:Dialog|ConfirmDialog|Drawer|Menu|Popover)\.svelte'"
    r"|import \{[^}]*\b(?:Dialog|DropdownMenu|Popover)\b[^}]*\} from 'bits-ui'"
)
#: Opened in the tests of accessibility: it needs something that was found.
ELSEWHERE = {"search/CitedText"}
WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
#: Where something is once all that followed from the last movement of the pointer has been drawn.
DRAWN_PLACE = """async (element) => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
    return element.getBoundingClientRect().toJSON()
}"""
Open = Callable[[Page], Awaitable[None]]


async def escape(page: Page) -> None:
    await page.keyboard.press("Escape")


@dataclass(frozen=True, slots=True)
class Overlay:
    """Something that opens above a page: the component that draws it, and how a person opens it."""

    component: str
    open: Open
    role: Literal["dialog", "menu"] = "dialog"
    #: Where it can be opened; the sidebar is a drawer on a phone.
    sizes: tuple[ViewportSize, ...] = (WIDE, PHONE)
    close: Open = escape


def press(*names: str) -> Open:
    """Press a button, then what it opens to choose from."""

    async def open_it(page: Page) -> None:
        await page.get_by_role("button", name=names[0]).last.click()
        for name in names[1:]:
            await page.get_by_role("menuitem", name=name).click()

    return open_it


def key(name: str) -> Open:
    """Press a key where nothing is written."""

    async def open_it(page: Page) -> None:
        await page.get_by_role("main").press(name)

    return open_it


async def row_menu(page: Page) -> None:
    await page.get_by_role("treeitem", name="a.md").hover()
    await page.get_by_role("treeitem", name="a.md").get_by_role("button").click()


async def rename_by_row(page: Page) -> None:
    await row_menu(page)
    await page.get_by_role("menuitem", name="Rename").click()


def of_picked(name: str) -> Open:
    """Select a file, and press a button for all that is selected."""

    async def open_it(page: Page) -> None:
        await page.get_by_role("treeitem", name="a.md").hover()
        await page.get_by_role("checkbox", name="Select a.md").check()
        await page.get_by_role("group", name="selected").get_by_role("button", name=name).click()

    return open_it


async def bring_archive(page: Page) -> None:
    await page.get_by_role("button", name="Add files").click()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("menuitem", name="Files…").click()
    packed: FilePayload = {"name": "b.zip", "mimeType": "application/zip", "buffer": archive({"b.md": b"B"})}
    await (await chooser.value).set_files([packed])


async def leave_editor(page: Page) -> None:
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_label("Text of a.md").fill("Other words")
    await page.get_by_role("button", name="Cancel").click()


def of_attachment(*names: str) -> Open:
    """Open the menu of a file that is attached to the conversation, and choose from it."""

    async def open_it(page: Page) -> None:
        attached = page.get_by_role("group").filter(has_text="1 file attached").last
        await attached.evaluate("(details) => (details.open = true)")
        await press("More for notes.md", *names)(page)

    return open_it


async def estimate(page: Page) -> None:
    await page.get_by_label("Your message").fill("What would this cost?")
    await page.get_by_role("button", name="Show each model").click()


async def switch_profile_off(page: Page) -> None:
    await page.get_by_role("switch", name="Let models know this about me").click()


def of_answer(name: str) -> Open:
    async def open_it(page: Page) -> None:
        await lane(page, "scripted-fast").get_by_role("button", name=name).click()

    return open_it


def of_selected_task(name: str) -> Open:
    async def open_it(page: Page) -> None:
        await page.get_by_role("checkbox", name="Select: Paint the shed").check()
        await page.get_by_role("button", name=name).click()

    return open_it


def of_event(*names: str) -> Open:
    """Open the event of a day, and press a button of it."""

    async def open_it(page: Page) -> None:
        await page.locator("[data-event]").click()
        for name in names:
            await page.get_by_role("dialog").get_by_role("button", name=name).click()

    return open_it


async def ask_which_times(page: Page) -> None:
    """Move an event that repeats by keys."""
    await page.locator("[data-event]").focus()
    await page.keyboard.press("Shift+ArrowDown")
    await page.keyboard.press("Enter")


async def put_off(page: Page) -> None:
    await press("Reminders: One reminder")(page)
    await page.get_by_role("button", name="Remind me later: Feed the cat").click()


async def escape_twice(page: Page) -> None:
    await escape(page)
    await expect(page.get_by_role("menu")).to_have_count(0)
    await escape(page)


OVERLAYS: dict[str, tuple[Overlay, ...]] = {
    "/": (
        Overlay("projects/NewProjectDialog", press("New project"), sizes=(WIDE,)),
        Overlay("sidebar/ConversationItem", press("More for “Say something”"), "menu", sizes=(WIDE,)),
        Overlay("sidebar/AccountMenu", press("Your account"), "menu", sizes=(WIDE,)),
        Overlay("sidebar/AppShell", press("Show the sidebar"), sizes=(PHONE,)),
        Overlay("palette/PaletteDialog", key("Control+k")),
        Overlay("palette/ShortcutsDialog", key("?")),
        Overlay("models/ModelPicker", press("Invite a model")),
        Overlay("reminders/ReminderBell", press("Reminders: One reminder")),
        Overlay("reminders/ReminderItem", put_off, "menu", close=escape_twice),
    ),
    "/c/{conversation}": (
        Overlay("models/ModelPicker", press("Invite a model")),
        Overlay("models/ModelPicker", of_answer("Write it again with another model")),
        Overlay("models/ModelPicker", press("Merge: have a model")),
        Overlay("context/ReceiptDrawer", of_answer("What it was shown")),
        Overlay("composer/SavedItemsMenu", press("Templates")),
        Overlay("composer/SavedItemsMenu", press("Presets")),
        Overlay("context/MeterButton", press("Context: ")),
        Overlay("context/EstimateLine", estimate),
    ),
    "/c/{conversation}#": (
        Overlay("context/ContextPanel", press("More about this conversation", "What the models are shown")),
        Overlay(
            "memory/ConversationMemoryPanel",
            press("More about this conversation", "Memory of this conversation"),
        ),
        Overlay("conversation/PlannedPanel", press("More about this conversation", "What was planned here")),
        Overlay("sidebar/ShareDialog", press("More about this conversation", "Share with the workspace")),
        Overlay("conversation/ConversationHeader", press("More about this conversation"), "menu"),
        Overlay("context/MarksMenu", press("More for this question"), "menu"),
        Overlay("context/MarksMenu", of_answer("More for this answer"), "menu"),
        Overlay("composer/SeatChip", press("scripted-fast: options"), "menu"),
        Overlay("composer/PolicyMenu", press("What models see of earlier answers"), "menu"),
        Overlay("files/AttachmentList", of_attachment(), "menu"),
        Overlay("files/PutIntoProjectDialog", of_attachment("Put into the project")),
    ),
    "/projects/{project}/files": (
        Overlay("files/FilesHeader", press("Add files"), "menu"),
        Overlay("files/NewTextDialog", press("Add files", "New text file")),
        Overlay("files/UnpackDialog", bring_archive),
        Overlay("files/TreeRowMenu", row_menu, "menu"),
        Overlay("files/RenameDialog", rename_by_row),
        Overlay("files/SelectionToolbar", of_picked("What models may do")),
        Overlay("files/TextInputDialog", of_picked("Add a tag")),
        Overlay("files/TextInputDialog", of_picked("Move 1 selected")),
        Overlay("files/IndexStatus", press("1 with a problem")),
    ),
    "/projects/{project}/files/{file}": (
        Overlay("files/FilePreviewHeader", press("More for a.md"), "menu"),
        Overlay("files/TextEditor", leave_editor, close=press("Discard")),
    ),
    "/projects/{project}": (
        Overlay("projects/DeleteProjectPanel", press("Delete the project")),
        Overlay("tasks/PhaseRow", press("More: Spring"), "menu"),
    ),
    "/tasks": (
        Overlay("tasks/FilterPopover", press("Filters")),
        Overlay("tasks/TaskMenu", press("More: Paint the shed"), "menu"),
        Overlay("tasks/SelectionBar", of_selected_task("Set the status"), "menu"),
        Overlay("tasks/SelectionDates", of_selected_task("Set the due date")),
        Overlay("tasks/SelectionDates", of_selected_task("Add a tag")),
    ),
    "/calendar?view=week&date=2030-03-04": (
        Overlay("calendar/EventDialog", of_event()),
        Overlay("calendar/EventDialog", of_event("Edit")),
        Overlay("calendar/EventDialog", press("New event")),
        Overlay("calendar/ScopeDialog", ask_which_times),
        Overlay("calendar/CalendarHeader", press("Calendars"), sizes=(PHONE,)),
    ),
    "/search?q=hedge": (Overlay("search/FilterPopover", press("Filters")),),
    "/memory?status=archived": (Overlay("memory/MemoriesTab", press("Delete: The bicycle is red.")),),
    "/memory/profile": (Overlay("memory/UserProfileTab", switch_profile_off),),
    "/settings/tokens": (Overlay("account/TokensTab", press("Revoke")),),
    "/settings/profile": (Overlay("account/DeleteAccountPanel", press("Delete my account")),),
    "/settings/sessions": (Overlay("account/SignOutEverywhere", press("Sign out everywhere")),),
    "/settings/calendars": (
        Overlay("calendar/CalendarRow", press("More for Calendar"), "menu"),
        Overlay("calendar/CalendarRow", press("More for Calendar", "Edit")),
        Overlay("calendar/CalendarRow", press("More for Calendar", "Secret address")),
        Overlay("calendar/CalendarRow", press("More for Calendar", "Delete")),
    ),
    "/settings/members": (
        Overlay("account/MemberRow", press("More for "), "menu"),
        Overlay("account/MembersTab", press("More for ", "Remove")),
        Overlay("account/MembersTab", press("More for ", "Delete account")),
        Overlay("account/MembersTab", press("More for ", "Password link")),
    ),
    "/settings/tools": (
        Overlay("tools/ToolSourcePanel", press("Add a server")),
        Overlay("tools/ToolSourcePanel", press("Add a service")),
        Overlay("tools/ToolSourcePanel", press("Edit: weather")),
        Overlay("tools/ToolSourcePanel", press("Remove: weather")),
    ),
    "/models/presets": (
        Overlay("models/PresetsPanel", press("New preset")),
        Overlay("models/PresetsPanel", press("Edit: Two minds")),
        Overlay("models/PresetsPanel", press("Remove: Two minds")),
    ),
    "/models/connections": (
        Overlay("models/ModelsPage", press("Add a connection")),
        Overlay("models/ConnectionsPanel", press("Change")),
        Overlay("models/ConnectionsPanel", press("Remove")),
    ),
}
PLACES = [
    ["/"],
    ["/c/{conversation}"],
    ["/c/{conversation}#"],
    ["/projects/{project}/files"],
    ["/projects/{project}/files/{file}", "/projects/{project}", "/search?q=hedge"],
    ["/tasks"],
    [path for path in OVERLAYS if path.startswith("/calendar")],
    [path for path in OVERLAYS if path.startswith("/memory")],
    [path for path in OVERLAYS if path.startswith(("/settings", "/models"))],
]


async def made(person: Person, path: str, body: object) -> str:
    """Make something, and return its id."""
    answer = await person.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def furnish(ada: Person, world: World, provider: ScriptedProvider) -> dict[str, str]:
    """Make something of all that can be opened; return the ids that paths are made of."""
    provider.script("scripted-fast", Script(reply="A word."))
    models = ["scripted-fast", "scripted-smart"]
    turn = await ada.start("Say something", models=models)
    conversation: str = turn["conversation"]["id"]
    files = {"files": ("notes.md", b"# Notes\n")}
    assert (await ada.client.post(f"/api/conversations/{conversation}/files", files=files)).is_success
    project = await made(ada, "/api/projects", {"name": "Garden"})
    sent = [("files", ("a.md", b"# A hedge\n")), ("files", ("broken.pdf", b"%PDF-1.7 broken"))]
    answer = await ada.client.post(f"/api/projects/{project}/files", files=sent)
    file: str = answer.json()["files"][0]["id"]
    await world.person(like=ada)
    await made(ada, "/api/presets", {"name": "Two minds", "models": models})
    own = {"slug": "own", "kind": "openai", "base_url": provider.openai_url, "key": "sk-own-1234"}
    await made(ada, "/api/connections", own)
    service = {"slug": "weather", "document": json.dumps(WEATHER), "base_url": "https://weather.example.org"}
    await made(ada, "/api/http-tools", service)
    memory = await made(ada, "/api/memories", {"type": "fact", "content": "The bicycle is red."})
    await ada.put(f"/api/memories/{memory}", {"archived": True})
    await ada.put("/api/memory/consent", {"consented": True})
    await made(ada, f"/api/projects/{project}/phases", {"name": "Spring"})
    task = await made(ada, "/api/tasks", {"title": "Paint the shed", "project_id": project})
    series = {"title": "Stand-up", "start": "2030-03-04T10:00:00Z", "end": "2030-03-04T11:00:00Z"}
    await made(ada, "/api/calendar/events", series | {"rrule": "FREQ=WEEKLY"})
    await ada.finished(turn)
    link = {"conversation_id": conversation}
    await made(ada, "/api/tasks", {"title": "Order paint", "project_id": project, "link": link})
    await remind(world, ada, "Feed the cat")
    return {"conversation": conversation, "project": project, "file": file, "task": task}


def describe(found: list[Json]) -> list[str]:
    return [f"{violation['id']}: {node['html']}" for violation in found for node in violation["nodes"]]


async def findings(page: Page, overlay: Overlay, size: ViewportSize) -> list[str]:
    """Return all that axe finds where something has opened.

    What it does to the page below it is the same in the dark and on a phone, so there axe looks at it alone.
    """
    opened = f"[role={overlay.role}]"
    if size == WIDE:
        return describe(await violations(page, within_in_dark=opened))
    return describe(await violations(page, in_dark=False, within=opened))


async def moved_by_pointer(page: Page, opened: Locator) -> list[str]:
    """Put the pointer on what has opened; say so if that moved it, as a click would then miss."""
    before = await opened.evaluate(DRAWN_PLACE)
    await page.mouse.move(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    after = await opened.evaluate(DRAWN_PLACE)
    return [] if after == before else [f"moved from {before} to {after} under the pointer"]


async def look_into(page: Page, overlay: Overlay, size: ViewportSize) -> list[str]:
    """Open something, ask axe about it, put the pointer on it, and close it."""
    await overlay.open(page)
    opened = page.get_by_role(overlay.role)
    await expect(opened).to_be_visible()
    found = await findings(page, overlay, size)
    found += await moved_by_pointer(page, opened)
    await overlay.close(page)
    await expect(page.get_by_role(overlay.role)).to_have_count(0)
    return found


@pytest.mark.parametrize("paths", PLACES, ids=lambda paths: paths[0].strip("/") or "start")
async def test_whatever_opens_can_be_used_by_everyone(
    paths: list[str], look: Page, ada: Person, world: World, provider: ScriptedProvider
) -> None:
    ids = await furnish(ada, world, provider)
    found: list[str] = []
    await look.goto("/")
    for path in paths:
        await follow(look, path.format(**ids))
        for size in (WIDE, PHONE):
            await look.set_viewport_size(size)
            for overlay in OVERLAYS[path]:
                if size in overlay.sizes:
                    findings_here = await look_into(look, overlay, size)
                    found += [f"{overlay.component}: {finding}" for finding in findings_here]
    assert found == []


def test_everything_that_can_open_is_opened_before_axe() -> None:
    drawn = {
        str(path.relative_to(FEATURES).with_suffix(""))
        for path in FEATURES.rglob("*.svelte")
        if PRIMITIVE.search(path.read_text("utf-8"))
    }
    opened = {overlay.component for overlays in OVERLAYS.values() for overlay in overlays}
    assert drawn == opened | ELSEWHERE
    assert sorted(OVERLAYS) == sorted(path for paths in PLACES for path in paths)


async def offer_many_models(page: Page) -> None:
    """Let the server offer more models than fit on a screen, some of which cannot be reached."""

    async def answer(route: Route) -> None:
        body = await (await route.fetch()).json()
        first = body["models"][0]
        more = [first | {"id": f"m{n}", "title": f"Model {n}", "stale": n % 2 == 0} for n in range(60)]
        await route.fulfill(json=body | {"models": [*body["models"], *more]})

    await page.route("**/api/models", answer)


async def test_the_model_picker_can_be_used_by_everyone_whatever_it_lists_or_does_not_find(
    look: Page,
) -> None:
    await offer_many_models(look)
    await look.goto("/")
    await look.get_by_role("button", name="Invite a model").click()
    await expect(look.get_by_role("option", name="Model 1", exact=False).first).to_be_visible()
    assert describe(await violations(look)) == []
    await look.keyboard.press("End")
    assert describe(await violations(look)) == []
    await look.get_by_placeholder("Search models").fill("nothing is called this")
    await expect(look.get_by_text("No model by that name.")).to_be_visible()
    assert describe(await violations(look)) == []
