"""Every screen, light and dark, before the rules of axe: nothing serious is wrong."""

from playwright.async_api import Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, follow, lane
from tests.e2e.test_citations import found
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import Person, World

RICH = """# Heading

A [link](https://example.org), `code`, **strong** and $x^2$.

- [x] done
- [ ] open

| a | b |
|---|---|
| 1 | 2 |

```python
print("Hello")  # a comment
```

> A quotation.
"""
SETTINGS = [
    "profile",
    "appearance",
    "sessions",
    "tokens",
    "members",
    "workspace",
    "retrieval",
    "tools",
    "audit",
    "shortcuts",
]


async def test_the_conversation_can_be_used_by_everyone(
    look: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=RICH, thinking="Let me see."))
    provider.script("scripted-smart", Script(fault=Fault(kind="status", status=400)))
    turn = await ada.start("What can you show?", models=["scripted-fast", "scripted-smart"])
    await ada.finished(turn)
    await look.goto(f"/c/{turn['conversation']['id']}")
    await expect(lane(look, "scripted-fast").locator(".katex")).to_be_visible()
    assert await serious(look) == []
    await look.get_by_role("button", name="Ask with other words").click()
    await look.get_by_role("button", name="More about this conversation").click()
    await expect(look.get_by_role("menu")).to_be_visible()
    assert await serious(look) == []


async def test_the_start_the_palette_and_the_projects_can_be_used_by_everyone(
    look: Page, ada: Person
) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()
    await look.goto("/")
    await expect(look.get_by_role("button", name="Remove scripted-smart")).to_be_visible()
    assert await serious(look) == []
    await look.get_by_role("button", name="Invite a model").click()
    await expect(look.get_by_role("option", name="scripted-fast")).to_be_visible()
    assert await serious(look) == []
    await look.keyboard.press("Escape")
    await look.keyboard.press("Control+k")
    await look.get_by_role("combobox").fill("gard")
    await expect(look.get_by_role("option", name="Garden")).to_be_visible()
    assert await serious(look) == []
    await look.keyboard.press("Escape")
    await follow(look, "/projects")
    await expect(look.get_by_role("main").get_by_role("link", name="Garden")).to_be_visible()
    assert await serious(look) == []
    await follow(look, f"/projects/{project['id']}")
    await expect(look.get_by_label("Brief")).to_be_visible()
    assert await serious(look) == []


async def test_the_files_can_be_used_by_everyone(look: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await look.goto(f"/projects/{project}/files")
    await expect(look.get_by_text("No files yet")).to_be_visible()
    assert await serious(look) == []
    made = await ada.post(f"/api/projects/{project}/files", {"path": "src/a.py", "content": "x = 1  # one\n"})
    file = f"/projects/{project}/files/{made.json()['files'][0]['id']}"
    await look.goto(file)
    for view in ("?lines=1", "?view=details", "?view=versions"):
        await follow(look, file + view)
        await expect(look.get_by_role("heading", name="a.py")).to_be_visible()
        await expect(look.get_by_role("treeitem", name="a.py")).to_be_visible()
        await expect(look.get_by_role("status", name="Loading")).to_have_count(0)
        assert await serious(look) == [], view


async def test_the_search_can_be_used_by_everyone(look: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "a.md", "content": "# Quince\n\nA hedge.\n"})
    await look.goto("/search")
    await expect(look.get_by_text("Find anything that was ever written here")).to_be_visible()
    assert await serious(look) == []
    await found(ada, project, "quince", "file")
    await follow(look, "/search?q=quince&kind=file")
    await look.get_by_text("Why here?").click()
    assert await serious(look) == []
    await look.get_by_role("button", name="Filters").click()
    await expect(look.get_by_label("File type")).to_be_visible()
    assert await serious(look) == []


async def test_the_sources_of_a_reply_can_be_used_by_everyone(
    look: Page, ada: Person, provider: ScriptedProvider
) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "a.md", "content": "# Quince\n\nA hedge.\n"})
    await found(ada, project, "quince", "file")
    provider.script("scripted-fast", Script(reply="It is a hedge [1]."))
    turn = await ada.start("Is the quince a hedge?", project_id=project)
    await ada.finished(turn)
    await look.goto(f"/c/{turn['conversation']['id']}")
    await look.get_by_text("Sources:").click()
    await look.get_by_role("link", name="Source 1:").focus()
    await expect(look.get_by_role("dialog")).to_contain_text("A hedge.")
    assert await serious(look) == []


async def test_the_settings_can_be_used_by_everyone(look: Page) -> None:
    await look.goto("/settings")
    for tab in SETTINGS:
        await follow(look, f"/settings/{tab}")
        await expect(look.get_by_role("heading", level=2).first).to_be_visible()
        await expect(look.get_by_role("status", name="Loading")).to_have_count(0)
        assert await serious(look) == [], tab


async def test_the_models_can_be_used_by_everyone(look: Page) -> None:
    await look.goto("/models")
    await expect(look.get_by_role("table")).to_contain_text("scripted-fast")
    assert await serious(look) == []
    await follow(look, "/models/presets")
    await expect(look.get_by_text("No presets yet")).to_be_visible()
    assert await serious(look) == []
    await follow(look, "/models/connections")
    await look.get_by_role("button", name="Add a connection").click()
    await expect(look.get_by_label("Short name")).to_be_visible()
    assert await serious(look) == []


async def test_the_door_can_be_used_by_everyone(new_context: NewContext, world: World) -> None:
    page = await (await new_context(base_url=world.url, reduced_motion="reduce")).new_page()
    await page.goto("/setup")
    await expect(page.get_by_label("Link")).to_be_visible()
    assert await serious(page) == []
    await page.goto("/setup#some-secret")
    await expect(page.get_by_label("Your name")).to_be_visible()
    assert await serious(page) == []
    await world.person()
    await page.goto("/signin")
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert await serious(page) == []
