"""What a workspace's limits may be."""

from typing import Any

import pytest
from pydantic import ValidationError

from tertulia.accounts.workspace_schemas import SettingsChange

DOLLAR_LIMITS = ["monthly_limit_usd", "monthly_limit_per_person_usd"]


@pytest.mark.parametrize("name", DOLLAR_LIMITS)
def test_a_limit_of_negative_zero_is_plain_zero(name: str) -> None:
    limit = getattr(SettingsChange.model_validate({name: -0.0}), name)
    assert f"${limit:.2f}" == "$0.00"


@pytest.mark.parametrize("name", [*DOLLAR_LIMITS, "lanes_per_person", "lanes_per_workspace"])
@pytest.mark.parametrize("value", [True, False])
def test_a_limit_is_a_number_and_no_boolean(name: str, value: bool) -> None:
    with pytest.raises(ValidationError):
        SettingsChange.model_validate({name: value})


@pytest.mark.parametrize("value", [0, 5, 0.25, None])
def test_a_limit_may_be_any_number_from_zero_on(value: Any) -> None:
    assert SettingsChange.model_validate({"monthly_limit_usd": value}).monthly_limit_usd == value
