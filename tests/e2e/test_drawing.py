"""What is seen of long questions and answers: whole lines, no words beside a header, what is in sight."""

from itertools import product

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.diagrams import DIAGRAMS
from tests.e2e.screen import lane, show
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import Person

WORDS = "Words that go on for a while, so that each line is full to its end and wraps to the next. "
HIT = """(header) => {
  const { left, right, top, bottom } = header.getBoundingClientRect();
  return header.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""
#: Points on the upper edge of an answer's header where words of the answer would be hit instead.
UNCOVERED = """(header) => {
  const { top, bottom } = header.getBoundingClientRect();
  const words = header.parentElement.querySelector('.prose').getBoundingClientRect();
  const missed = [];
  for (let x = words.left + 0.5; x < words.right; x += 1)
    for (const y of [top + 0.5, top + 2, (top + bottom) / 2, bottom - 0.5])
      if (!header.contains(document.elementFromPoint(x, y))) missed.push([x, y]);
  return missed;
}"""
#: The room before the items of a list, and how wide a number is there.
MARKER = """(list, number) => {
  const brush = document.createElement('canvas').getContext('2d');
  brush.font = getComputedStyle(list).font;
  return [parseFloat(getComputedStyle(list).paddingInlineStart), brush.measureText(number).width];
}"""


async def test_no_words_show_above_or_beside_the_header_of_an_answer(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="\n\n".join([WORDS * 6] * 12)))
    turn = await ada.start("Go on")
    await ada.finished(turn)
    await show(page, turn)
    header = lane(page, "scripted-fast").locator("header")
    await expect(header).to_be_visible()
    conversation = page.get_by_role("region", name="Conversation")
    for width, offset in product((1280, 390), (400, 411.5, 417.25)):
        await page.set_viewport_size({"width": width, "height": 800})
        await conversation.evaluate("(region, offset) => region.scrollTo(0, offset)", offset)
        # Nothing can be hit while the list still scrolls.
        await page.wait_for_function(HIT, arg=await header.element_handle())
        assert await header.evaluate(UNCOVERED) == [], (width, offset)


async def test_a_folded_question_ends_with_a_whole_line(page: Page, ada: Person) -> None:
    question = "\n".join(f"Line {number} of many" for number in range(60))
    turn = await ada.start(question)
    await ada.finished(turn)
    await show(page, turn)
    text = page.get_by_role("article").locator("p").first
    await expect(text).to_contain_text("Line 0 of many")
    lines = await text.evaluate("(text) => text.clientHeight / parseFloat(getComputedStyle(text).lineHeight)")
    assert lines == pytest.approx(12, abs=0.1)
    await page.get_by_role("button", name="Show all of it").click()
    await expect(text).to_contain_text("Line 59 of many")


LONG = {
    "list": "\n".join(f"- item {number} of it" for number in range(8_000)),
    "paragraphs": "\n\n".join(f"Paragraph {number}" for number in range(4_000)),
    "words": "some *more* words " * 6_000,
    "table": "| a | b |\n|---|---|\n" + "\n".join(f"| row {number} | x |" for number in range(4_000)),
    "code": "```python\n" + "\n".join(f"value_{number} = 1" for number in range(4_000)) + "\n```",
    "quotation": ">" * 10_000 + " deep",
}
#: Far fewer than the lines of these answers.
ELEMENTS_MAX = 12_000


def window_of(page: Page, model: str) -> Locator:
    """Return what a very long answer is read in."""
    return lane(page, model).get_by_role("region", name="Long text")


async def test_of_a_very_long_answer_only_what_is_in_sight_is_drawn(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    for name, text in LONG.items():
        provider.script(f"long-{name}", Script(reply=text))
    await ada.post("/api/models/metadata/refresh")
    turn = await ada.start("Say much", models=[f"long-{name}" for name in LONG])
    await ada.finished(turn)
    await show(page, turn)
    items = window_of(page, "long-list")
    await expect(items.get_by_text("item 0 of it")).to_be_visible()
    await expect(lane(page, "long-quotation")).to_contain_text("deep")
    await items.evaluate("(region) => region.scrollTo(0, region.scrollHeight)")
    await expect(items.get_by_text("item 7999 of it")).to_be_attached()
    assert await page.evaluate("document.querySelectorAll('*').length") < ELEMENTS_MAX


async def test_the_end_of_a_very_long_answer_is_seen_while_it_is_written(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    lines = LONG["list"].splitlines(keepends=True)
    pieces = ["".join(lines[start : start + 1_000]) for start in range(0, len(lines), 1_000)]
    # It is not finished for as long as the test looks.
    silent = Fault(kind="silence", after=len(pieces))
    provider.script("scripted-fast", Script(reply=[*pieces, "- the end"], fault=silent))
    await show(page, await ada.start("Say much"))
    window = window_of(page, "scripted-fast")
    await expect(window.get_by_text("item 7999 of it")).to_be_in_viewport()
    assert await page.evaluate("document.querySelectorAll('*').length") < ELEMENTS_MAX


async def test_an_ordinary_answer_is_there_as_a_whole(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="\n\n".join(f"Paragraph {n}." for n in range(500))))
    turn = await ada.start("Say a little")
    await ada.finished(turn)
    await show(page, turn)
    await expect(lane(page, "scripted-fast")).to_contain_text("Paragraph 499.")
    await expect(window_of(page, "scripted-fast")).to_have_count(0)
    assert await lane(page, "scripted-fast").locator(".prose > p").count() == 500


async def test_an_ordinary_diagram_is_drawn_whatever_its_labels_say(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    sources = [source for kind in DIAGRAMS.values() for source in kind]
    provider.script("scripted-fast", Script(reply="\n\n".join(f"```mermaid\n{one}\n```" for one in sources)))
    turn = await ada.start("Draw much")
    await ada.finished(turn)
    await show(page, turn)
    answer = lane(page, "scripted-fast")
    await expect(answer.get_by_text("Drawing the diagram")).to_have_count(0)
    undrawn = answer.get_by_text("This diagram cannot be drawn").locator("xpath=following-sibling::*[1]")
    assert await undrawn.all_inner_texts() == []
    await expect(answer.locator("figure img")).to_have_count(len(sources))


async def test_the_numbers_of_a_list_are_seen_whole(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    numbers = (9, 1_998, 99_999_998)
    lists = [f"{number}. one\n{number + 1}. two\n{number + 2}. three" for number in numbers]
    provider.script("scripted-fast", Script(reply="\n\nThen:\n\n".join(lists)))
    turn = await ada.start("Count")
    await ada.finished(turn)
    await show(page, turn)
    drawn = lane(page, "scripted-fast").locator("ol")
    await expect(drawn).to_have_count(len(numbers))
    for place, number in enumerate(numbers):
        room, width = await drawn.nth(place).evaluate(MARKER, f"{number + 2}. ")
        assert width <= room, number


#: Of 5,000 formulas.
DRAWN_MAX = 400
#: A few times what it takes, for machines that do much else; drawn in one go it would be seconds.
LONGEST_TASK_MS = 400
IN_SIGHT_IS_DRAWN = """() => {
  const region = document.querySelector('[aria-label="Long text"]').getBoundingClientRect();
  const seen = [...document.querySelectorAll('[data-math]')].filter((formula) => {
    const { top, bottom } = formula.getBoundingClientRect();
    return top > region.top && bottom < region.bottom;
  });
  return seen.length > 0 && seen.every((formula) => formula.querySelector('.katex'));
}"""
#: Notes how long the page was busy without a pause, in milliseconds.
NOTE_LONG_TASKS = """() => {
  window.longTasks = [0];
  const note = (list) => list.getEntries().forEach(({ duration }) => window.longTasks.push(duration));
  new PerformanceObserver(note).observe({ type: 'longtask' });
}"""


async def test_thousands_of_formulas_are_drawn_when_in_sight_and_never_hold_up_the_page(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    terms = (f"the term $\\frac{{x_{{{n}}}^2}}{{y}}$ and \\(\\sqrt{{{n}}}\\), " for n in range(2_500))
    provider.script("scripted-fast", Script(reply="".join(terms)))
    turn = await ada.start("Say it in formulas")
    await ada.finished(turn)
    await show(page, turn)
    window = window_of(page, "scripted-fast")
    await expect(window.locator(".katex").first).to_be_visible()
    await page.evaluate(NOTE_LONG_TASKS)
    for offset in (5_000, 10_000, 15_000):
        await window.evaluate("(region, offset) => region.scrollTo(0, offset)", offset)
        await expect(window.locator(".katex:visible").first).to_be_attached()
        await page.wait_for_function(IN_SIGHT_IS_DRAWN)
    assert await window.locator(".katex").count() < DRAWN_MAX
    tasks = await page.evaluate("window.longTasks")
    # However slow the machine is, no task is most of them all: drawn in one go, one would be.
    assert max(tasks) < max(LONGEST_TASK_MS, sum(tasks) / 2), tasks
