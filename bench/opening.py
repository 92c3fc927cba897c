"""How fast conversations open and are listed, whatever their length and number."""

from bench.driver import Gets, GetsSeen
from bench.figures import Measure, Point, milliseconds, single
from bench.processes import ServerUnderTest, drive
from bench.seeding import Seeded

RATIO_AIM = 1.5
LONG = "/api/conversations/{}"


def measure(server: ServerUnderTest, seeded: Seeded, *, times: int, sizes: tuple[int, int]) -> list[Measure]:
    """Open both conversations and list many, in turn."""
    paths = [LONG.format(seeded.short), LONG.format(seeded.long), "/api/conversations?limit=50", "/health"]
    seen = drive(Gets(server.url, seeded.token, paths, times), GetsSeen)
    (short, short95), (long, long95), (listed, listed95), (nothing, nothing95) = map(
        milliseconds, seen.seconds
    )
    few, many = f"{sizes[0]:,} messages", f"{sizes[1]:,}"
    about = "Opening"
    return [
        Measure(
            about, "the last page of a conversation, median", "ms", [Point(few, short), Point(many, long)]
        ),
        Measure(
            about, "the last page of a conversation, p95", "ms", [Point(few, short95), Point(many, long95)]
        ),
        single(about, "the long one against the short one", "times", long / short, aim=RATIO_AIM, digits=2),
        Measure(about, "50 of 10,000 conversations", "ms", [Point("median", listed), Point("p95", listed95)]),
        Measure(about, "/health, to compare", "ms", [Point("median", nothing), Point("p95", nothing95)]),
    ]
