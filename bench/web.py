"""The web app in a real browser: what it fetches, and how quickly it answers while models write."""

import gzip
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Response, sync_playwright
from tests.e2e.conftest import QUIET, chromium

from bench.figures import Measure, Point, single
from bench.plan import MODEL
from bench.processes import ServerUnderTest, post
from bench.seeding import Seeded
from tertulia.doors.webapp import WEB_APP_FOLDER

ABOUT = "The web app"
SCRIPT_AIM_KB = 250
PAINT_AIM_MS = 100
OPEN_RATIO_AIM = 1.5
LANES = 4
TOKENS_PER_SECOND = 100
TYPING_SECONDS = 8
KEY_MS = 110
#: A long task keeps the page from answering for 50 ms or more.
WATCH = """
window.seen = { events: [], tasks: [], frames: [] };
const watch = (type, keep, more) =>
  new PerformanceObserver((list) => list.getEntries().forEach(keep)).observe({ type, ...more });
watch('event', (one) => one.interactionId && seen.events.push(one.duration), { durationThreshold: 16 });
watch('longtask', (one) => seen.tasks.push(one.duration));
let last = 0;
const frame = (now) => { if (last) seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
new MutationObserver((_, observer) => {
  if (!document.querySelector('article')) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.shown = performance.now(); });
}).observe(document, { childList: true, subtree: true });
"""
PARAGRAPH = (
    "A lens floats on **mercury**, so that a small clockwork can turn tons of glass.\n\n"
    "- wound every `four` hours\n- greased in spring\n\n"
    "```python\ndef turn(lens: Lens) -> Beam:\n    return lens.sweep(seconds=20)\n```\n\n"
)


def measure(
    server: ServerUnderTest, seeded: Seeded, *, times: int, sizes: tuple[int, int], say: Callable[[str], None]
) -> list[Measure]:
    """Load it, open conversations, and write while four models write."""
    say("the web app: loading")
    with browsing(server, seeded) as context:
        measures = first_load(context, seeded)
    with browsing(server, seeded) as context:
        say("the web app: opening")
        measures += opening(context, seeded, times=times, sizes=sizes)
        say("the web app: writing while four models write")
        measures += writing(context, seeded, server.provider_url)
    return measures


@contextmanager
def browsing(server: ServerUnderTest, seeded: Seeded) -> Generator[BrowserContext]:
    """Open a browser that has never been here before."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        headers = {"Authorization": f"Bearer {seeded.token}"}
        context = browser.new_context(base_url=server.url, extra_http_headers=headers)
        context.add_init_script(WATCH)
        try:
            yield context
        finally:
            browser.close()


def opened(page: Page, conversation: str) -> float:
    """Open a conversation, and return the milliseconds until it was shown."""
    page.goto(f"/c/{conversation}")
    page.locator("article").first.wait_for()
    return page.evaluate("new Promise((done) => requestAnimationFrame(() => done(window.shown)))")


def first_load(context: BrowserContext, seeded: Seeded) -> list[Measure]:
    """Measure the scripts that are fetched before a first conversation is shown."""
    page = context.new_page()
    answers: dict[str, Response] = {}

    def keep_first(answer: Response) -> None:
        answers.setdefault(urlsplit(answer.url).path, answer)

    page.on("response", keep_first)
    opened(page, seeded.short)
    scripts = {path: answer for path, answer in answers.items() if path.endswith(".js")}
    small = sum(compressed(WEB_APP_FOLDER / path.lstrip("/")) for path in scripts) / 1000
    sent = sum(answer.request.sizes()["responseBodySize"] for answer in scripts.values()) / 1000
    what, note = "scripts before a conversation is shown", f"{len(scripts)} files"
    return [
        single(ABOUT, f"{what}, gzip", "KB", small, aim=SCRIPT_AIM_KB, note=note),
        single(ABOUT, f"{what}, as the server sends them", "KB", sent),
    ]


def compressed(file: Path) -> int:
    """Return the bytes that a file takes on the way."""
    return len(gzip.compress(file.read_bytes(), 6))


def opening(context: BrowserContext, seeded: Seeded, *, times: int, sizes: tuple[int, int]) -> list[Measure]:
    """Measure how long a reload takes, in a short conversation and in a long one."""
    page = context.new_page()
    opened(page, seeded.short)
    pairs = [(opened(page, seeded.short), opened(page, seeded.long)) for _ in range(times)]
    page.close()
    short, long = (median(values) for values in zip(*pairs, strict=True))
    points = [Point(f"{sizes[0]:,} messages", short), Point(f"{sizes[1]:,}", long)]
    return [
        Measure(ABOUT, "from a reload until a conversation is shown, median", "ms", points, digits=0),
        single(
            ABOUT, "the long one against the short one", "times", long / short, aim=OPEN_RATIO_AIM, digits=2
        ),
    ]


def writing(context: BrowserContext, seeded: Seeded, provider_url: str) -> list[Measure]:
    """Measure how the composer answers to keys: at rest, and while four lanes are written."""
    script = {
        "reply": PARAGRAPH * 60,
        "tokens_per_second": TOKENS_PER_SECOND,
        "usage": {"input": 10, "output": 10},
    }
    post(f"{provider_url}/script", {"model": MODEL, "script": script})
    page = context.new_page()
    opened(page, seeded.short)
    rest = typed(page)
    body = {"message": "Tell me about lighthouses.", "models": [MODEL] * LANES}
    turn = page.request.post("/api/turn", data=body).json()
    opened(page, turn["conversation"]["id"])
    page.wait_for_timeout(1000)
    busy = typed(page)
    said = page.request.get(f"/api/conversations/{turn['conversation']['id']}").json()
    running = sum(reply["status"] == "running" for reply in said["rounds"][-1]["replies"])
    page.request.post(f"/api/rounds/{turn['round']['id']}/stop")
    note = f"{running} of {LANES} still written at the end, {TOKENS_PER_SECOND} tokens/s each"
    return [
        Measure(
            ABOUT,
            "from a key to the next paint, the worst",
            "ms",
            [
                Point("at rest", max(rest["events"], default=16)),
                Point(f"{LANES} lanes", max(busy["events"], default=16), PAINT_AIM_MS),
            ],
            note,
            digits=0,
        ),
        compared("long tasks, all together", "ms", sum(rest["tasks"]), sum(busy["tasks"])),
        compared("frames later than 50 ms", "%", late(rest["frames"]), late(busy["frames"])),
    ]


def compared(what: str, unit: str, rest: float, busy: float) -> Measure:
    """Return a figure of both times."""
    points = [Point("at rest", rest), Point(f"{LANES} lanes", busy)]
    return Measure(ABOUT, f"{what}, while somebody writes", unit, points)


def late(frames: list[float]) -> float:
    """Return how many of a hundred frames came late."""
    return 100 * sum(frame > 50 for frame in frames) / max(1, len(frames))


def typed(page: Page) -> dict[str, Any]:
    """Write for some seconds, and return what the page saw meanwhile."""
    page.locator("textarea").last.click()
    page.wait_for_timeout(300)
    page.evaluate("for (const kind of Object.values(seen)) kind.length = 0")
    page.keyboard.type("abcd efgh " * (TYPING_SECONDS * 100 // KEY_MS), delay=KEY_MS)
    page.wait_for_timeout(300)
    return page.evaluate("seen")
