"""How many tokens a model makes of a text is learnt from what its provider reports."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import open_database
from tests.effort import effort
from tests.models_world import person

from tertulia.accounts import workspaces
from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.models.domain import Model, Tier
from tertulia.models.token_calibration import learn_token_ratio, token_ratio_of

CLAUDE = Model("claude-x", "anthropic", "claude-x", "Claude X", 200_000, 8_000, Tier.SMART)
GPT = replace(CLAUDE, id="gpt-5", connection="openai", name="gpt-5")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Generator[Database]:
    database = open_database(tmp_path_factory.mktemp("calibration") / "models.db")
    yield database
    database.close()


@pytest.fixture
async def ann(db: Database) -> Principal:
    return await add_newcomer(db)


async def add_newcomer(db: Database) -> Principal:
    """Add someone in a workspace of their own, where nothing was learnt yet."""
    workspace = await db.write(lambda tx: workspaces.add(tx, "Test"), by=None)
    return person(workspace=workspace.id)


async def after(db: Database, by: Principal, *samples: tuple[int, int], model: Model = CLAUDE) -> float:
    """Learn from samples of what we counted and what was reported, and return the ratio."""
    for counted, reported in samples:
        await db.write(partial(learn_token_ratio, model=model, counted=counted, reported=reported), by=by)
    return await db.read(lambda tx: token_ratio_of(tx, model), by=by)


async def test_a_model_that_never_reported_is_taken_as_we_count(db: Database, ann: Principal) -> None:
    assert await after(db, ann) == 1.0


async def test_the_first_report_counts_fully_and_later_ones_in_part(db: Database, ann: Principal) -> None:
    assert await after(db, ann, (1_000, 1_200)) == pytest.approx(1.2)
    assert await after(db, ann, (1_000, 1_000)) == pytest.approx(1.14)


async def test_what_a_persons_own_connection_reports_is_learnt_for_them_alone(
    db: Database, ann: Principal
) -> None:
    await db.write(
        lambda tx: learn_token_ratio(tx, CLAUDE, counted=1_000, reported=3_000, payer=ann.user_id), by=ann
    )
    assert await after(db, ann) == 1.0
    assert await db.read(lambda tx: token_ratio_of(tx, CLAUDE, payer=ann.user_id), by=ann) == pytest.approx(3)


async def test_a_known_vocabulary_learns_nothing(db: Database, ann: Principal) -> None:
    assert await after(db, ann, (1_000, 1_300), model=GPT) == 1.0


@pytest.mark.parametrize("sample", [(49, 60), (0, 0), (0, 50), (1_000, 0), (1_000, 299), (1_000, 3_501)])
async def test_tiny_and_absurd_reports_are_ignored(
    db: Database, ann: Principal, sample: tuple[int, int]
) -> None:
    assert await after(db, ann, sample) == 1.0


async def test_each_workspace_and_connection_learns_for_itself(db: Database, ann: Principal) -> None:
    await after(db, ann, (1_000, 1_300))

    assert await after(db, await add_newcomer(db)) == 1.0
    assert await after(db, ann, model=replace(CLAUDE, connection="proxy")) == 1.0


@given(
    real=st.floats(0.5, 2.5),
    sizes=st.lists(st.integers(50, 200_000), min_size=3, max_size=8),
    noise=st.lists(st.floats(-0.08, 0.08), min_size=8, max_size=8),
    asked=st.integers(50, 200_000),
)
@settings(max_examples=effort(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_after_a_few_reports_estimates_are_within_a_tenth(
    db: Database, real: float, sizes: list[int], noise: list[float], asked: int
) -> None:
    samples = [(size, round(size * real * (1 + off))) for size, off in zip(sizes, noise, strict=False)]
    ratio = await after(db, await add_newcomer(db), *samples)

    assert asked * ratio == pytest.approx(asked * real, rel=0.1)
