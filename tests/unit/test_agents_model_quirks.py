"""What was learnt of a model is kept for who asked it, and for nobody else."""

from tertulia.agents.model_quirks import QuirkRegistry
from tertulia.core.principal import Principal, Role
from tertulia.models.domain import Ability, Model, Tier

ADA, BEN = Principal("usr_a", "wsp_1", Role.MEMBER), Principal("usr_b", "wsp_1", Role.MEMBER)


def listed(*abilities: Ability) -> Model:
    return Model("m", "ollama", "m", "M", 8192, 1024, Tier.FAST, frozenset(abilities))


def test_a_model_that_is_listed_without_tools_is_told_of_them_in_words() -> None:
    quirks = QuirkRegistry()

    assert quirks.of(listed(Ability.TOOLS), by=ADA).has_native_tools
    assert not quirks.of(listed(), by=BEN).has_native_tools


def test_what_is_learnt_is_known_the_next_time_but_not_to_others() -> None:
    quirks = QuirkRegistry()
    quirks.of(listed(Ability.TOOLS), by=ADA).refused_options.add("temperature")

    assert quirks.of(listed(Ability.TOOLS), by=ADA).refused_options == {"temperature"}
    assert quirks.of(listed(Ability.TOOLS), by=BEN).refused_options == set()


def test_a_model_that_is_listed_anew_with_tools_is_given_them() -> None:
    quirks = QuirkRegistry()
    assert not quirks.of(listed(), by=ADA).has_native_tools

    assert quirks.of(listed(Ability.TOOLS), by=ADA).has_native_tools
