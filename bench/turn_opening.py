"""What it costs the server to open a turn: from the question to the first token, and nothing after it."""

from collections.abc import Sequence

from bench.doors import Door
from bench.driver import Streams, StreamsSeen
from bench.figures import Measure, Point, milliseconds
from bench.plan import RAMP_SECONDS, Plan
from bench.processes import ServerUnderTest, drive, post
from bench.speaking import Say

ABOUT = "Opening a turn, up to its first token"
OPENED_TURN_CPU_AIM_MS = 8.0


def measure(
    plan: Plan, server: ServerUnderTest, provider_url: str, tokens: Sequence[str], say: Say
) -> list[Measure]:
    """Open turns whose models say one word and wait, and return what each cost and how long it took."""
    cost: list[Point] = []
    medians: list[Point] = []
    slow: list[Point] = []
    for clients, each in plan.turns:
        say(f"{clients * each} turns opened by {clients}")
        server.wait_until_idle()
        before = server.cpu_seconds()
        spread = RAMP_SECONDS if clients > 1 else 0.0
        order = Streams(server.url, list(tokens), Door.FIRST_TOKEN, clients, each, spread, tokens=1)
        seen = drive(order, StreamsSeen)
        spent = server.cpu_seconds() - before
        post(f"{provider_url}/resume", {})
        if seen.failed:
            raise RuntimeError(f"not every turn was opened: {seen.failed[0]}")
        median, p95 = milliseconds(seen.first_token)
        at = str(clients)
        cost.append(Point(at, 1000 * spent / seen.asked, OPENED_TURN_CPU_AIM_MS))
        medians.append(Point(at, median))
        slow.append(Point(at, p95))
    return [
        Measure(ABOUT, "processor time of the server for each turn", "ms", cost),
        Measure(ABOUT, "first token, median", "ms", medians),
        Measure(ABOUT, "first token, p95", "ms", slow),
    ]
