"""Memory before a browser: written, found, decided about, corrected, replaced, deleted and brought back."""

import asyncio
import re
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Locator, Page, Route, expect
from tests.context_world import settled
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer, show
from tests.e2e.watching import Watch
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World

ALMONDS = "I am allergic to almonds."
TOLD = f"Good morning. {ALMONDS} I live in Porto. Which cake shall I bake on Sunday?"
PHONE = {"width": 390, "height": 844}


@pytest.fixture
async def turn(ada: Person) -> Json:
    """Return a turn in which Ada says something of herself."""
    started = await ada.start(TOLD)
    await ada.finished(started)
    return started


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


async def remember(person: Person, content: str, **more: object) -> Json:
    answer = await person.post("/api/memories", {"type": "fact", "content": content, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def propose(person: Person, turn: Json) -> list[Json]:
    body = {"conversation_id": turn["conversation"]["id"]}
    return (await person.post("/api/memories/extract", body)).json()["memories"]


def memories(page: Page) -> Locator:
    return page.get_by_role("list", name="Memories", exact=True).get_by_role("listitem")


def proposals(page: Page) -> Locator:
    return page.get_by_role("list", name="Proposals").get_by_role("listitem")


async def test_a_memory_is_added_corrected_taken_back_pinned_and_deleted_with_an_undo(
    page: Page, ada: Person
) -> None:
    await page.goto("/memory")
    await expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    await page.get_by_role("button", name="Add a memory").click()
    await page.get_by_label("What to remember").fill("My sister is called Mara.")
    await page.get_by_label("Category").fill("family")
    await page.keyboard.press("Control+Enter")
    await expect(memories(page)).to_contain_text(["My sister is called Mara."])
    await expect(memories(page)).to_contain_text(["family"])

    await page.get_by_role("button", name="Edit: My sister is called Mara.").click()
    await page.get_by_label("What to remember").fill("My sister is called Marta.")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(memories(page).first).to_contain_text("Before it was: My sister is called Mara.")
    await expect(page.get_by_role("button", name="Edit: My sister is called Marta.")).to_be_focused()
    await page.get_by_role("button", name="Undo: My sister is called Mara.").click()
    await expect(memories(page).first).not_to_contain_text("Marta")

    await page.get_by_role("button", name="Pin: models are always told this").click()
    await page.get_by_role("button", name="Pinned", exact=True).click()
    await expect(memories(page)).to_have_count(1)
    await page.get_by_role("button", name="Delete: My sister").click()
    await expect(page.get_by_text("Nothing fits")).to_be_visible()
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(memories(page)).to_contain_text(["My sister is called Mara."])
    kept = (await ada.get("/api/memories")).json()["memories"]
    assert [(memory["content"], memory["category"], memory["pinned"]) for memory in kept] == [
        ("My sister is called Mara.", "family", True)
    ]


async def test_what_is_found_in_a_conversation_is_decided_about_with_keys_alone(
    page: Page, ada: Person, turn: Json
) -> None:
    await show(page, turn)
    await page.get_by_role("button", name="More about this conversation").click()
    await page.get_by_role("menuitem", name="Look for things to remember").click()
    await expect(page.get_by_text("2 things found.")).to_be_visible()
    await expect(page.get_by_role("link", name="Memory 2 proposals wait")).to_be_visible()
    await page.get_by_role("button", name="Review").click()
    await expect(page).to_have_url(re.compile("/memory/inbox$"))
    await expect(proposals(page)).to_have_count(2)
    await expect(page.get_by_role("link", name="Inbox (2)")).to_be_visible()
    almonds = page.get_by_role("listitem", name=ALMONDS)
    await expect(almonds.locator("mark")).to_have_text(ALMONDS)
    await expect(almonds.locator("blockquote")).to_contain_text("Good morning.")

    first = await proposals(page).first.locator("mark").inner_text()
    await page.keyboard.press("j")
    await expect(proposals(page).nth(1)).to_be_focused()
    await page.keyboard.press("k")
    await expect(proposals(page).first).to_be_focused()
    await page.keyboard.press("e")
    await page.get_by_label("What to remember").fill("Ada said: so it is.")
    await page.keyboard.press("Escape")
    await expect(proposals(page).first).to_be_focused()
    await page.keyboard.press("a")
    await expect(proposals(page)).to_have_count(1)
    await expect(proposals(page).first).to_be_focused()
    await page.keyboard.press("x")
    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    await expect(page.get_by_role("link", name="Memory", exact=True)).to_be_visible()
    kept = (await ada.get("/api/memories")).json()["memories"]
    assert [memory["content"] for memory in kept] == [first]


async def test_evidence_leads_to_the_round_that_it_was_said_in_and_survives_an_undo(
    page: Page, ada: Person, turn: Json
) -> None:
    ids = [memory["id"] for memory in await propose(ada, turn)]
    await ada.post("/api/memories/approve", {"ids": ids})
    await page.goto("/memory?text=almonds")
    await expect(memories(page)).to_have_count(1)
    await page.get_by_role("button", name=f"Delete: {ALMONDS}").click()
    await page.get_by_role("button", name="Undo", exact=True).click()
    await page.get_by_role("link", name=f"Where you said it: {ALMONDS}").click()
    await expect(page).to_have_url(re.compile(f"/c/{turn['conversation']['id']}#msg_"))
    await expect(page.get_by_text("Good morning.").first).to_be_in_viewport()
    await page.go_back()
    await expect(page.get_by_role("searchbox", name="Search memories")).to_have_value("almonds")
    await expect(memories(page)).to_have_count(1)


async def test_a_new_word_takes_the_place_of_the_old_one_until_that_is_taken_back(
    page: Page, ada: Person
) -> None:
    await remember(ada, "The capital of Norway is Oslo.")
    await page.goto("/memory")
    await expect(memories(page)).to_have_count(1)
    await remember(ada, "The capital of Norway is Bergen.")
    await expect(memories(page).first).to_contain_text("Before it was: The capital of Norway is Oslo.")
    await page.get_by_label("Which to show").select_option("Replaced")
    await expect(memories(page).first).to_contain_text("Replaced by: The capital of Norway is Bergen.")
    await page.get_by_role("link", name="The capital of Norway is Bergen.").click()
    await page.get_by_role("button", name="Undo: The capital of Norway is Oslo.").click()
    await page.get_by_role("link", name="Show all memories").click()
    await expect(memories(page).first).to_contain_text("The capital of Norway is Oslo.")
    await page.get_by_role("button", name="Archive: models are no longer told this").click()
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(memories(page).first).to_contain_text("The capital of Norway is Oslo.")


async def test_what_is_worth_a_second_look_is_confirmed_or_archived(page: Page, ada: Person) -> None:
    await remember(ada, "My editor is Vim.")
    await remember(ada, "The plugin list for Vim is in dotfiles.")
    await remember(ada, "The colours of Vim are dark.")
    await remember(ada, "My editor is Emacs.")
    await page.goto("/memory?status=review")
    await expect(memories(page)).to_have_count(2)
    await expect(memories(page).first).to_contain_text("It names Vim")
    await page.get_by_role("button", name="Still holds: The plugin list").click()
    await expect(memories(page)).to_have_count(1)
    await page.get_by_role("button", name="Archive: The colours").click()
    await expect(page.get_by_text("Nothing fits")).to_be_visible()
    kept = (await ada.get("/api/memories")).json()["memories"]
    assert [memory["content"] for memory in kept if "Vim" in memory["content"]] == [
        "The plugin list for Vim is in dotfiles."
    ]


async def test_memories_are_narrowed_down_by_project_and_category(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Harbour"})).json()["id"]
    await remember(ada, "Almonds are bad for me.", category="health")
    await remember(ada, "My bike is red.")
    await remember(ada, "The gate opens at 06:40.", project_id=project, category="health")
    await page.goto("/memory")
    await expect(memories(page)).to_have_count(3)
    await page.get_by_role("link", name="Show the category health").first.click()
    await expect(memories(page)).to_have_count(2)
    await page.get_by_label("Project", exact=True).select_option("Harbour")
    await expect(memories(page)).to_have_count(1)
    await page.get_by_role("button", name="Show all categories, not only health").click()
    await page.get_by_label("Project", exact=True).select_option("Any project")
    await expect(memories(page)).to_have_count(3)


async def test_a_long_list_goes_on_by_itself(page: Page, ada: Person) -> None:
    for number in range(70):
        await remember(ada, f"Drawer {number} holds {number + 100} screws.", category=f"drawer {number}")
    await page.goto("/memory")
    await expect(memories(page)).not_to_have_count(0)
    for _ in range(3):
        await memories(page).last.scroll_into_view_if_needed()
        await page.wait_for_timeout(200)
    await expect(memories(page)).to_have_count(70)


async def test_what_another_device_decided_first_is_told_and_fetched_again(
    page: Page, ada: Person, turn: Json
) -> None:
    first, second = await propose(ada, turn)
    await page.goto("/memory/inbox")
    await expect(proposals(page)).to_have_count(2)
    decided = asyncio.Event()
    page.on("request", lambda request: decided.set() if request.url.endswith("/reject") else None)

    async def answer_once_decided(route: Route) -> None:
        await (route.continue_() if decided.is_set() else route.abort())

    await page.route(re.compile("/api/memories\\?.*status=proposed"), answer_once_decided)
    await ada.post("/api/memories/approve", {"ids": [first["id"], second["id"]]})
    await ada.delete(f"/api/memories/{second['id']}")
    await expect(page.get_by_text("The server cannot be reached just now.")).to_be_visible()
    await page.get_by_role("checkbox", name="Select all").check()
    await page.get_by_role("button", name="Reject 2").click()
    await expect(page.get_by_text("There is no such memory.")).to_be_visible()
    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()


async def test_a_profile_is_written_shown_as_models_are_told_it_and_switched_off(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await remember(ada, ALMONDS, pinned=True)
    await page.goto("/memory/profile")
    switch = page.get_by_role("switch", name="Let models know this about me")
    await expect(switch).not_to_be_checked()
    await switch.click()
    await expect(switch).to_be_checked()
    await page.get_by_label("Preferred languages").fill("Python, Go")
    await page.get_by_label("Notes").fill("Answer in short sentences.")
    await page.get_by_role("button", name="Update my profile").click()
    await expect(page.get_by_text("Your profile is up to date.")).to_be_visible()
    told = page.get_by_role("region", name="What a model would be told now").get_by_role("listitem")
    await expect(told).to_contain_text(
        ["- Preferred languages: Python, Go\n- Notes: Answer", f"- {ALMONDS} [M2]"]
    )
    shown = [text.strip() for text in await told.all_text_contents()]
    await ada.ask("Good morning.")
    sent = provider.requests("scripted-fast")[-1].body["messages"]
    assert any("\n\n".join(shown) in message["content"] for message in sent)

    await switch.click()
    await page.get_by_role("button", name="Cancel").click()
    await expect(switch).to_be_checked()
    await switch.click()
    await page.get_by_role("button", name="Switch off and delete").click()
    await expect(switch).not_to_be_checked()
    await expect(told).to_have_text([f"- {ALMONDS} [M1]"])
    assert (await ada.get("/api/memory/profile")).json() == {"profile": None, "has_consent": False}


async def test_a_receipt_leads_to_what_the_model_knew(page: Page, ada: Person) -> None:
    await remember(ada, ALMONDS, pinned=True)
    turn = await ada.start("May I eat almonds?")
    await ada.finished(turn)
    await show(page, turn)
    await page.get_by_role("button", name="What it was shown").click()
    await expect(page.get_by_role("heading", name="What the model knew about you")).to_be_visible()
    await page.get_by_role("link", name=ALMONDS).click()
    await expect(page).to_have_url(re.compile("/memory\\?id=mem_"))
    await expect(memories(page)).to_have_count(1)


async def test_a_conversation_shows_what_was_mentioned_and_remembered(
    page: Page, ada: Person, world: World, turn: Json
) -> None:
    await propose(ada, turn)
    await ada.ask("Call me on (415) 555-0132.", conversation_id=turn["conversation"]["id"])
    await settled(world, "entities")
    await show(page, turn)
    await page.get_by_role("button", name="More about this conversation").click()
    await page.get_by_role("menuitem", name="Memory of this conversation").click()
    await expect(memories(page)).to_have_count(2)
    await expect(memories(page).first).to_contain_text("Waits in the inbox")
    await page.get_by_role("button", name="Edit: (415) 555-0132").click()
    await page.get_by_label("What it is").fill("(415) 555-0199")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Edit: (415) 555-0199")).to_be_focused()
    await ada.ask("Or write to mara@example.org.", conversation_id=turn["conversation"]["id"])
    await expect(page.get_by_role("link", name="mara@example.org")).to_be_visible()
    await page.get_by_role("button", name="Hide: (415) 555-0199").click()
    await expect(page.get_by_role("link", name="(415) 555-01")).to_have_count(0)
    await page.get_by_role("link", name=f"Where you said it: {ALMONDS}").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page).to_have_url(re.compile("#msg_"))


async def test_a_thumb_decides_and_nobody_is_shut_out(phone: Page, ada: Person, turn: Json) -> None:
    await propose(ada, turn)
    await phone.goto("/memory/inbox")
    await expect(proposals(phone)).to_have_count(2)
    assert await serious(phone) == []
    assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    drawer = phone.get_by_role("button", name="Show the sidebar")
    await expect(drawer).to_have_accessible_name("Show the sidebar: 2 proposals wait")
    await phone.get_by_role("button", name="Approve all 2").tap()
    await expect(phone.get_by_text("2 are remembered.")).to_be_visible()
    await expect(phone.get_by_role("button", name="Show", exact=True)).to_be_visible()
    await expect(phone.get_by_text("Nothing waits for you")).to_be_visible()
    await expect(drawer).to_have_accessible_name("Show the sidebar")
    for path in ("/memory", "/memory/profile"):
        await phone.goto(path)
        await expect(phone.get_by_text(ALMONDS).first).to_be_visible()
        assert await serious(phone) == []
        assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
