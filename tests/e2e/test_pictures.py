"""What goes in and out beside words: pictures, exports, and answers that are read by a model."""

import asyncio
import base64
from pathlib import Path

from playwright.async_api import FilePayload, Page, expect
from tests.e2e.screen import ask, lane, pick_model, show, table
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
BOTH = ["scripted-fast", "scripted-smart"]


async def test_a_picture_is_attached_sent_and_shown_and_made_smaller_if_it_is_too_large(
    page: Page, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await expect(table(page).first).to_be_visible()
    picture = FilePayload(name="dot.png", mimeType="image/png", buffer=PIXEL)
    await page.locator("input[type=file]").set_input_files([picture])
    await expect(page.get_by_role("img", name="dot.png")).to_be_visible()
    await ask(page, "What is this?")

    await expect(lane(page, "scripted-smart")).to_contain_text("What is this?")
    shown = page.get_by_role("article").get_by_role("img")
    await expect(shown).to_have_count(1)
    assert await shown.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1
    [asked] = [one for one in provider.requests("scripted-smart") if "What is this?" in str(one.body)][:1]
    assert base64.b64encode(PIXEL).decode() in str(asked.body["messages"])

    # A valid picture with so much after its end that it could not go along.
    large = FilePayload(name="large.png", mimeType="image/png", buffer=PIXEL + bytes(6_000_000))
    await page.locator("input[type=file]").set_input_files([large])
    await expect(page.get_by_role("img", name="large.png")).to_be_visible()
    await ask(page, "And this?")
    await expect(lane(page, "scripted-smart").last).to_contain_text("And this?")
    [asked] = [one for one in provider.requests("scripted-smart") if "And this?" in str(one.body)][:1]
    assert "data:image/jpeg;base64," in str(asked.body["messages"])


async def test_what_is_no_picture_belongs_to_the_conversation_until_it_is_put_into_the_project(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await expect(table(page).first).to_be_visible()
    note = FilePayload(name="my note.txt", mimeType="text/plain", buffer=b"The gate is blue.")
    await page.locator("input[type=file]").set_input_files([note])
    field = page.get_by_label("Your message")
    await expect(field).to_have_value('#"attachments/my note.txt" ')
    await field.press_sequentially("What colour?")
    await field.press("Enter")

    await expect(lane(page, "scripted-smart")).to_contain_text("What colour?")
    [asked] = [one for one in provider.requests("scripted-smart") if "What colour?" in str(one.body)][:1]
    assert "The gate is blue." in str(asked.body["messages"])
    project = f"/api/projects/{(await ada.get('/api/projects')).json()['projects'][0]['id']}/files"
    assert (await ada.get(project)).json()["files"] == []

    await page.get_by_text("1 file attached. Only you see it.").click()
    await page.get_by_label("More for my note.txt").click()
    await page.get_by_role("menuitem", name="Put into the project…").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Every member of the workspace will see it")
    await page.get_by_role("button", name="Put into the project").click()
    await expect(page.get_by_text("is in the project now.")).to_be_visible()
    assert [file["path"] for file in (await ada.get(project)).json()["files"]] == ["attachments/my note.txt"]


async def test_a_conversation_is_exported_as_a_file(page: Page, ada: Person) -> None:
    turn = await ada.start("Something worth keeping")
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": "Keep: this"})
    await show(page, turn)
    await page.get_by_role("heading", level=1).wait_for()
    for item, ending in (("Markdown", ".md"), ("JSON", ".json")):
        await page.get_by_role("button", name="More about this conversation").click()
        async with page.expect_download() as download:
            await page.get_by_role("menuitem", name=item).click()
        file = await download.value
        assert file.suggested_filename == f"Keep this{ending}"
        text = await asyncio.to_thread(Path(await file.path()).read_text, "utf-8")
        assert "Something worth keeping" in text
        assert "scripted-fast heard: Something worth keeping" in text


async def test_a_model_judges_the_answers_and_the_judgement_stays(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    turn = await ada.start("Who is right?", models=BOTH)
    await ada.finished(turn)
    provider.script("scripted-smart", Script(reply="The first is right."))
    await show(page, turn)
    await page.get_by_role("button", name="Judge: have a model rank the answers").click()
    await pick_model(page, "scripted-smart")
    await expect(page.get_by_text("The first is right.")).to_be_in_viewport()
    await page.reload()
    await expect(page.get_by_text("The first is right.")).to_be_visible()
