"""Each script is read in its own direction."""

from playwright.async_api import Locator, Page, expect
from tests.e2e.screen import lane, shelf, show
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

QUESTION = "كيف أزرع الطماطم؟\nIn English, please."
REPLY = """# الطماطم

ازرعها في `plot_a()` قرب الجدار.

Then water them.

- أولا

- ثانيا

> اقتباس

| صنف | عدد |
|---|---|
| كرزية | 4 |

```python
print("طماطم")
```
"""


async def direction(part: Locator) -> str:
    await expect(part).to_be_visible()
    return await part.evaluate("(element) => getComputedStyle(element).direction")


async def test_arabic_runs_from_right_to_left_the_rest_stays_and_what_is_written_turns_with_its_first_letter(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=REPLY))
    turn = await ada.start(QUESTION)
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"title": "زراعة الطماطم"})
    await show(page, turn)
    answer = lane(page, "scripted-fast").locator(".prose")

    for part in ("h3", "p >> nth=0", "ul", "li >> nth=0", "blockquote", "table"):
        assert await direction(answer.locator(part)) == "rtl", part
    for part in ("p >> nth=1", "p code", "pre"):
        assert await direction(answer.locator(part)) == "ltr", part
    question = page.get_by_text("كيف أزرع")
    assert await direction(question) == "rtl"
    assert await question.evaluate("(element) => getComputedStyle(element).unicodeBidi") == "plaintext"
    assert await direction(page.get_by_role("heading", level=1, name="زراعة")) == "rtl"
    assert await direction(shelf(page).get_by_text("زراعة")) == "rtl"

    message = page.get_by_label("Your message")
    assert await direction(message) == "ltr"
    await message.fill("שלום")
    assert await direction(message) == "rtl"
