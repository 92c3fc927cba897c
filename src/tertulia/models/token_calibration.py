"""Learning how a model counts, from what its provider reports."""

from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.models.catalogue import full_name
from tertulia.models.domain import Model
from tertulia.models.tokens import is_exact

#: In a smaller prompt, what surrounds the texts says more than the texts do.
CALIBRATION_MIN_TOKENS = 50
#: A report outside of these is a mistake, or leaves out what was cached.
TOKEN_RATIO_MIN, TOKEN_RATIO_MAX = 0.3, 3.5
#: What a new report weighs against all before it; the first one counts fully.
CALIBRATION_WEIGHT = 0.3


def learn_token_ratio(tx: Tx, model: Model, *, counted: int, reported: int, payer: str = "") -> None:
    """Learn from one call: `counted` tokens by us with a ratio of 1, and `reported` by the provider.

    What a person's own connection reports is learnt for that person, the `payer`, alone.
    """
    if (
        is_exact(model.name)
        or counted < CALIBRATION_MIN_TOKENS
        or not TOKEN_RATIO_MIN <= reported / counted <= TOKEN_RATIO_MAX
    ):
        return
    sql = """
        INSERT INTO token_ratios (workspace_id, model, ratio, samples, updated_at)
        VALUES (:workspace, :model, :ratio, 1, :now)
        ON CONFLICT (workspace_id, model) DO UPDATE SET
            ratio = token_ratios.ratio + :weight * (excluded.ratio - token_ratios.ratio),
            samples = token_ratios.samples + 1,
            updated_at = excluded.updated_at"""
    tx.run(
        sql,
        model=token_ratio_key(model, payer),
        ratio=reported / counted,
        weight=CALIBRATION_WEIGHT,
        now=now(),
    )


def token_ratio_of(tx: Tx, model: Model, *, payer: str = "") -> float:
    """Return how many tokens a model reports for each that we count: 1 until it has reported any."""
    if is_exact(model.name):
        return 1.0
    sql = "SELECT ratio FROM token_ratios WHERE workspace_id = :workspace AND model = :model"
    return float(tx.value(sql, model=token_ratio_key(model, payer)) or 1.0)


def token_ratio_key(model: Model, payer: str) -> str:
    """Return what a ratio is kept under: the connection's name first, since it goes with the connection."""
    return f"{full_name(model)}@{payer}" if payer else full_name(model)
