"""The books only grow, whatever is written into them."""

from hypothesis import given
from hypothesis import strategies as st

from tertulia.agents.agent_step import add_usage
from tertulia.models.calls import Usage
from tertulia.models.cost import budgeted_cost_of, max_cost_of
from tertulia.models.domain import Prices

prices = st.none() | st.builds(Prices, st.floats(0, 600), st.floats(0, 600))
usages = st.builds(Usage, st.integers(0, 10**8), st.integers(0, 10**8), cost=st.none() | st.floats(0, 1e300))


@given(st.lists(usages, max_size=20), prices)
def test_whatever_is_reported_what_was_spent_only_grows_and_stays_within_bounds(
    reported: list[Usage], known: Prices | None
) -> None:
    spent, total = 0.0, Usage(0, 0)
    for one in reported:
        total = add_usage(total, one)
        added = budgeted_cost_of(one, known)
        assert 0 <= added <= max_cost_of(one, known) + 1e-6
        spent += added

    assert 0 <= spent <= sum(max_cost_of(one, known) for one in reported) + 1e-4
    assert 0 <= budgeted_cost_of(total, known) <= max_cost_of(total, known) + 1e-6
    assert max(total.input, total.output) < 2**63
