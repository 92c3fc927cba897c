"""Models at work before a browser: seen step by step, asked about, told a word, stopped."""

import re

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import lane, open_page, show
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.tools_world import SendLetter, give_letters
from tests.world import Person, World

MODEL = "scripted-fast"
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')
LOOK = ScriptedCall(name="list_project_files", arguments="{}")


@pytest.fixture
def letters(world: World) -> SendLetter:
    return give_letters(world)


def works(provider: ScriptedProvider, *calls: ScriptedCall, model: str = MODEL, reply: str = "Done.") -> None:
    provider.script(model, Script(reply="Let me see.\n\n", tool_calls=list(calls)), Script(reply=reply))


def card(page: Page) -> Locator:
    """Return what asks whether a letter may be sent."""
    return page.get_by_role("group", name="May it run send_letter?")


def call_line(page: Page, name: str) -> Locator:
    """Return the line of a call."""
    return page.get_by_role("list", name="What it did").locator("summary").filter(has_text=name)


async def ends(page: Page, model: str = MODEL) -> Locator:
    """Wait until a model has answered, and return its answer."""
    answer = lane(page, model)
    await expect(answer).to_have_attribute("aria-busy", "false")
    return answer


async def test_what_a_model_does_stands_where_it_did_it(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    project: str = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "garden.md", "content": "# Quinces\n"})
    works(provider, LOOK, ScriptedCall(name="no_such_tool"), reply="There is one file.")
    await show(page, await ada.start("What is there?", project_id=project))
    answer = await ends(page)
    said = await answer.inner_text()
    places = [said.index(part) for part in ("Let me see.", "list_project_files", "There is one file.")]
    assert places == sorted(places)

    await expect(call_line(page, "list_project_files")).to_contain_text(
        re.compile(r"done.*\d m?s", re.DOTALL)
    )
    await expect(call_line(page, "no_such_tool")).to_contain_text("failed")
    await expect(answer.get_by_role("region", name="Result").first).to_be_hidden()
    await call_line(page, "list_project_files").click()
    await expect(answer.get_by_role("region", name="Result").first).to_contain_text("garden.md")


async def test_a_yes_with_other_arguments_is_seen_in_every_tab(
    page: Page, world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    letters.may_end.clear()
    works(provider, LETTER, reply="It is on its way.")
    turn = await ada.start("Write to Ada")
    await show(page, turn)
    other, watch = await open_page(page.context, world.url, f"/c/{turn['conversation']['id']}")
    for one in (page, other):
        await expect(card(one)).to_contain_text("Acts for you, with your rights.")
        await expect(one).to_have_title(re.compile(r"^\(1\) "))
    await page.reload()

    field = card(page).get_by_label("Arguments")
    await expect(field).to_have_value('{\n  "text": "Dear Ada"\n}')
    await field.fill('{"text": ')
    await expect(card(page)).to_contain_text("must be one JSON object")
    await expect(card(page).get_by_role("button", name="Allow once")).to_be_disabled()
    await field.fill('{"text": "Dear Grace"}')
    await card(page).get_by_role("button", name="Allow once").click()

    for one in (page, other):
        await expect(card(one)).to_have_count(0)
        await expect(one.get_by_role("region", name="What send_letter says")).to_contain_text(
            "licking the stamp"
        )
    letters.may_end.set()
    for one in (page, other):
        await expect(await ends(one)).to_contain_text("It is on its way.")
        await expect(call_line(one, "send_letter")).to_contain_text("Dear Grace")
    assert letters.sent == ["Dear Grace"]
    await expect(page).not_to_have_title(re.compile(r"^\("))
    watch.check()


async def test_a_no_tells_the_model_why(
    page: Page, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER, reply="Then I do not.")
    await show(page, await ada.start("Write to Ada"))
    await card(page).get_by_role("button", name="Deny").click()
    await page.get_by_label("Why not?").fill("She is on holiday.")
    await page.get_by_label("Why not?").press("Enter")

    await expect(await ends(page)).to_contain_text("Then I do not.")
    await expect(call_line(page, "send_letter")).to_contain_text("denied")
    assert letters.sent == []
    assert "She is on holiday." in str(provider.requests(MODEL)[-1].body)


@pytest.mark.parametrize(("button", "everywhere"), [("In this conversation", False), ("Always", True)])
async def test_a_yes_may_count_for_longer(
    page: Page, ada: Person, provider: ScriptedProvider, letters: SendLetter, button: str, *, everywhere: bool
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada")
    await show(page, turn)
    await card(page).get_by_role("button", name=button).click()
    await ends(page)
    (grant,) = (await ada.get("/api/tool-grants")).json()["grants"]
    assert grant["conversation_id"] == (None if everywhere else turn["conversation"]["id"])
    assert letters.sent == ["Dear Ada"]


async def test_a_reply_that_waits_can_be_stopped(
    page: Page, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    await show(page, await ada.start("Write to Ada"))
    await expect(card(page)).to_be_visible()
    await lane(page, MODEL).get_by_role("button", name="Stop").click()
    await expect(await ends(page)).to_contain_text("Stopped")
    await expect(card(page)).to_have_count(0)
    assert letters.sent == []


async def test_models_at_work_are_told_a_word_one_by_one_or_all(
    page: Page, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    letters.may_end.clear()
    for model in (MODEL, "scripted-smart"):
        works(provider, LETTER, model=model)
    turn = await ada.start("Write to Ada", models=[MODEL, "scripted-smart"])
    await show(page, turn)
    for yes in range(2, 0, -1):
        await expect(card(page)).to_have_count(yes)
        await card(page).first.get_by_role("button", name="Allow once").click()
    await lane(page, MODEL).get_by_label(f"Tell {MODEL} something").first.fill("Be brief.")
    await page.keyboard.press("Enter")
    await page.get_by_label("Tell all of them something").first.fill("In Latin.")
    await page.keyboard.press("Enter")
    told = lane(page, MODEL).get_by_role("list", name="What it was told meanwhile")
    await expect(told.get_by_role("listitem")).to_have_count(2)
    await expect(told).to_contain_text("reaches it at its next step")

    letters.may_end.set()
    await expect(await ends(page)).to_contain_text("Done.")
    await expect(told.get_by_role("listitem").first).to_contain_text(re.compile(r"Be brief\.\s*read"))
    other = (await ends(page, "scripted-smart")).get_by_role("list", name="What it was told meanwhile")
    await expect(other).to_have_text(re.compile(r"In Latin\.\s*read"))
    assert "Be brief." in str(provider.requests(MODEL)[-1].body)
    await expect(page.get_by_label("Tell all of them something")).to_have_count(0)


async def test_tools_at_work_can_be_used_by_everyone(
    look: Page, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    page = look
    letters.may_end.clear()
    works(provider, LOOK, LETTER)
    await show(page, await ada.start("Write to Ada"))
    await expect(card(page)).to_be_visible()
    await card(page).get_by_label("Arguments").fill("{")
    await call_line(page, "list_project_files").click()
    assert await serious(page) == []
    await card(page).get_by_role("button", name="Deny").click()
    assert await serious(page) == []
    await page.get_by_role("button", name="Back").click()
    await card(page).get_by_label("Arguments").fill('{"text": "Hello"}')
    await card(page).get_by_role("button", name="Allow once").click()
    await expect(page.get_by_role("region", name="What send_letter says")).to_be_visible()
    await page.get_by_label(f"Tell {MODEL} something").first.fill("Be brief.")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("list", name="What it was told meanwhile")).to_be_visible()
    assert await serious(page) == []
    letters.may_end.set()
    await ends(page)
