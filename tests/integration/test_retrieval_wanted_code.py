"""Code comes first where code is asked for, though prose tells the same in the words of the question."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import World

FILES = {
    "docs/retries.md": (
        "# Retries\n\nThe pause before a retry is computed with exponential backoff: it doubles with each "
        "failed attempt, up to a minute, and a random jitter is added so that clients do not retry together."
    ),
    "src/retries.py": (
        "def pause_before_retry(attempt: int) -> float:\n"
        '    """Return the pause before a retry: exponential backoff with jitter."""\n'
        "    longest = min(60.0, 0.5 * 2**attempt)\n"
        "    return random.uniform(0.0, longest)\n"
    ),
    "docs/prices.md": (
        "# Prices\n\nThe discount of an order is computed from its total: five percent over a hundred euros, "
        "ten percent over five hundred. It is implemented so that it is rounded in the customer's favour."
    ),
    "src/prices.py": (
        "def discount_of(order: Order) -> Decimal:\n"
        '    """Return the discount of an order by its total."""\n'
        '    rate = Decimal("0.10") if order.total > 500 else Decimal("0.05") if order.total > 100 else 0\n'
        "    return (order.total * rate).quantize(CENT, rounding=ROUND_UP)\n"
    ),
}


@pytest.fixture
async def shelf(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Shelf]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        shelf = await Shelf.of(await world.person(role="owner"))
        for path, text in FILES.items():
            await shelf.write(path, text)
        await indexed(world)
        yield shelf


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("How is the pause before a retry with exponential backoff implemented?", "src/retries.py"),
        ("Show me the function that computes the exponential backoff with jitter", "src/retries.py"),
        ("Where is the discount of an order by its total implemented?", "src/prices.py"),
        ("Which function computes the discount of an order from its total?", "src/prices.py"),
    ],
)
async def test_code_leads_where_it_is_asked_for(shelf: Shelf, question: str, path: str) -> None:
    found = await hits(shelf.person, question, shelf.project_id)
    assert found[0]["location"]["path"] == path


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Why does the pause before a retry double with each failed attempt?", "docs/retries.md"),
        ("How many percent is the discount of an order over five hundred euros?", "docs/prices.md"),
    ],
)
async def test_prose_leads_where_the_matter_is_asked_for(shelf: Shelf, question: str, path: str) -> None:
    found = await hits(shelf.person, question, shelf.project_id)
    assert found[0]["location"]["path"] == path


async def test_code_on_another_matter_stays_behind(shelf: Shelf) -> None:
    found = await hits(shelf.person, "How is the jitter of a retry implemented?", shelf.project_id)
    paths = [hit["location"]["path"] for hit in found]
    assert paths[0] == "src/retries.py"
    assert "src/prices.py" not in paths[:2]
