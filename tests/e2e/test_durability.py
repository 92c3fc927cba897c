"""Nothing said is ever lost: not by a reload, a second browser, a crash or a lost connection."""

from playwright.async_api import BrowserContext, Page, Route, expect
from tests.e2e.screen import NewContext, ask, bearer, lane, open_page, read, shelf, show, table
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

#: Some of everything that could be cut in the middle: marks, several bytes a letter, blocks.
RICH = "# A *story*\n\n" + "\n\n".join(
    f"Part {number}: “naïve” **strong** 👩🏽‍🚀 `code {number}` 漢字." for number in range(25)
)
SLOW = Script(reply=" ".join(f"word{number}" for number in range(400)), tokens_per_second=25)


async def replies(person: Person, conversation_id: str) -> list[Json]:
    """Return every reply of a conversation as it is stored."""
    page = (await person.get(f"/api/conversations/{conversation_id}?limit=200")).json()
    return [reply for round_ in page["rounds"] for reply in round_["replies"]]


async def settled(page: Page) -> str:
    """Return the markup of an answer once it is complete."""
    await expect(lane(page, "scripted-fast")).to_have_attribute("aria-busy", "false")
    return await lane(page, "scripted-fast").locator(".prose").inner_html()


async def test_a_reload_in_mid_stream_changes_no_character(
    page: Page, context: BrowserContext, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=RICH, tokens_per_second=80))
    turn = await ada.start("Tell me")
    await show(page, turn)
    for part in ("Part 2:", "Part 8:"):
        await expect(lane(page, "scripted-fast")).to_contain_text(part)
        await page.reload()
    reloaded = await settled(page)

    fresh, watch = await open_page(context, world.url, f"/c/{turn['conversation']['id']}")
    [stored] = await replies(ada, turn["conversation"]["id"])
    assert stored["content"] == RICH
    assert reloaded == await settled(fresh)
    watch.check()


async def test_whoever_watched_from_the_start_reads_what_is_stored(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=SLOW.reply, tokens_per_second=300))
    turn = await ada.start("Tell me")
    await show(page, turn)
    await settled(page)
    assert await read(page, "scripted-fast") == SLOW.reply


async def test_two_browsers_on_one_conversation_see_the_same(
    page: Page, new_context: NewContext, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="Hello."), Script(reply=RICH, tokens_per_second=100))
    turn = await ada.start("Begin")
    await ada.finished(turn)
    await show(page, turn)
    elsewhere = await new_context(extra_http_headers=bearer(ada))
    other, watch = await open_page(elsewhere, world.url, f"/c/{turn['conversation']['id']}")
    await expect(lane(other, "scripted-fast")).to_contain_text("Hello.")
    await ask(page, "Say more")

    last = [lane(each, "scripted-fast").last for each in (page, other)]
    for answer in last:
        await expect(answer).to_contain_text("Part 24:")
        await expect(answer).to_have_attribute("aria-busy", "false")
    here, there = [await answer.locator(".prose").inner_html() for answer in last]
    assert here == there
    watch.check()


async def test_what_is_done_in_one_browser_shows_in_the_other(
    page: Page, new_context: NewContext, world: World, ada: Person
) -> None:
    elsewhere = await new_context(extra_http_headers=bearer(ada))
    other, watch = await open_page(elsewhere, world.url, "/")
    await expect(shelf(other).get_by_role("status")).to_be_visible()
    await page.goto("/")
    await ask(page, "A brand new subject")
    await expect(shelf(other).get_by_role("link")).to_have_count(1)
    watch.check()


async def test_a_message_whose_answer_was_lost_is_asked_once(page: Page, ada: Person) -> None:
    tries = 0

    async def lose_the_first(route: Route) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/api/turn", lose_the_first)
    await page.goto("/")
    await ask(page, "Only once, please")
    await expect(lane(page, "scripted-smart")).to_contain_text("heard: Only once, please")
    listed = (await ada.get("/api/conversations")).json()["conversations"]
    assert tries == 2
    assert len(listed) == 1
    assert len(await replies(ada, listed[0]["id"])) == 1


async def test_a_message_that_waits_survives_a_reload(page: Page, ada: Person) -> None:
    await page.route("**/api/turn", lambda route: route.abort())
    await page.goto("/")
    await ask(page, "Patience")
    waiting = page.get_by_role("list", name="Waiting to be sent")
    await expect(waiting).to_contain_text("Patience")
    await page.reload()
    await expect(waiting).to_contain_text("Patience")
    await page.unroute("**/api/turn")
    await expect(lane(page, "scripted-smart")).to_contain_text("heard: Patience")
    assert len((await ada.get("/api/conversations")).json()["conversations"]) == 1


async def test_the_page_recovers_from_a_crash_and_offers_to_go_on(
    seat: Page, server: ServerProcess, grace: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", SLOW, Script(reply=" and that was all."))
    turn = await grace.start("A long tale")
    await show(seat, turn)
    answer = lane(seat, "scripted-fast")
    await expect(answer).to_contain_text("word9")
    server.kill()
    await server.start()

    go_on = answer.get_by_role("button", name="Go on", exact=True)
    await expect(go_on).to_be_visible()
    [stored] = await replies(grace, turn["conversation"]["id"])
    assert stored["status"] == "interrupted"
    assert stored["content"].startswith("word0 word1")
    assert await read(seat, "scripted-fast") == stored["content"].strip()
    await go_on.click()
    await expect(answer).to_contain_text("and that was all.")
    assert await read(seat, "scripted-fast") == f"{stored['content']} and that was all."


async def test_a_message_written_while_the_server_is_away_is_sent_once_when_it_is_back(
    seat: Page, server: ServerProcess, grace: Person
) -> None:
    turn = await grace.start("Are you there?")
    await grace.finished(turn)
    await show(seat, turn)
    await expect(lane(seat, "scripted-fast")).to_contain_text("heard: Are you there?")
    await expect(table(seat)).to_contain_text("scripted-fast")
    server.kill()
    await ask(seat, "And now?")
    await expect(seat.get_by_role("list", name="Waiting to be sent")).to_contain_text("And now?")
    await server.start()

    await expect(lane(seat, "scripted-fast").last).to_contain_text("And now?")
    await expect(seat.get_by_role("list", name="Waiting to be sent")).to_have_count(0)
    assert len(await replies(grace, turn["conversation"]["id"])) == 2
