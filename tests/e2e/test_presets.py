"""What one comes back to: tables under a name, and beginnings of messages."""

from playwright.async_api import Page, expect
from tests.e2e.screen import ask, invite, lane, table
from tests.world import Person


async def test_a_table_is_saved_and_brought_back_with_how_long_each_thinks(page: Page, ada: Person) -> None:
    await page.goto("/")
    await expect(table(page)).to_have_count(1)
    await invite(page, "scripted-fast")
    await page.get_by_role("button", name="Presets").click()
    await page.get_by_label("Save this table").fill("Second opinions")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text("“Second opinions” is saved.")).to_be_visible()
    await page.keyboard.press("Escape")
    for _ in range(2):
        await table(page).first.get_by_role("button", name="Remove").click()
    await expect(table(page)).to_have_count(0)
    [kept] = (await ada.get("/api/presets")).json()["presets"]
    assert kept["efforts"] == [None, None]
    body = {"name": kept["name"], "models": kept["models"], "efforts": ["high", None]}
    await ada.put(f"/api/presets/{kept['id']}", body)

    await page.get_by_role("button", name="Presets").click()
    await page.get_by_role("button", name="Second opinions scripted").click()
    await expect(table(page)).to_have_count(2)
    await expect(table(page).first).to_contain_text("high")
    await ask(page, "What do you both think?")
    await expect(lane(page, "scripted-smart")).to_contain_text("heard: What do you both think?")


async def test_a_preset_is_made_and_changed_on_the_page_of_models(page: Page) -> None:
    await page.goto("/models/presets")
    await page.get_by_role("button", name="New preset").click()
    form = page.get_by_role("dialog")
    await form.get_by_label("Name").fill("Both")
    await form.get_by_role("button", name="Add a model").first.click()
    for model in ("scripted-smart", "scripted-fast"):
        await page.get_by_role("option", name=model).click()
    await page.keyboard.press("Escape")
    await form.get_by_role("button", name="Save").click()
    row = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Both"))
    await expect(row).to_contain_text("scripted-fast")

    await row.get_by_role("button", name="Edit").click()
    await form.get_by_role("button", name="Take scripted-smart away").click()
    await form.get_by_role("button", name="Save").click()
    await expect(row).not_to_contain_text("scripted-smart")


async def test_a_template_is_used_kept_and_typed_by_its_name(page: Page) -> None:
    message = page.get_by_label("Your message")
    await page.goto("/")
    await page.get_by_role("button", name="Templates").click()
    await page.get_by_role("button", name="/summarise").click()
    await expect(message).to_have_value("Summarise this in five sentences, then list what is left open.\n\n")
    await message.fill("Write to the village about ")
    await page.get_by_role("button", name="Templates").click()
    await page.get_by_label("Save your text as a template").fill("Weekly letter")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.keyboard.press("Escape")
    await page.reload()
    await message.fill("")
    await message.press_sequentially("/week")
    await message.press("Enter")
    await expect(message).to_have_value("Write to the village about ")


async def test_a_brief_can_be_seen_as_it_will_be_read(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()
    await page.goto(f"/projects/{project['id']}")
    await page.get_by_label("Brief").fill("# Larch\n\n- **dry** wood")
    await page.get_by_role("button", name="Preview").click()
    brief = page.get_by_role("region", name="Brief")
    await expect(brief.get_by_role("heading", name="Larch")).to_be_visible()
    await expect(brief.get_by_role("listitem")).to_have_text("dry wood")
    await page.get_by_role("button", name="Go on writing").click()
    await expect(page.get_by_label("Brief")).to_have_value("# Larch\n\n- **dry** wood")


async def test_the_settings_list_the_shortcuts_that_work(page: Page) -> None:
    await page.goto("/settings/shortcuts")
    panel = page.get_by_role("region", name="Keyboard shortcuts")
    for label in ("Search and commands", "Show or hide the sidebar", "Send the message"):
        await expect(panel.get_by_role("listitem").filter(has_text=label)).to_be_visible()
