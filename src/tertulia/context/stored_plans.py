"""The form in which the plan of a prompt is kept: a few figures and its steps, and apart from them its items.

SQL reads the steps when what a tool gave is erased. Items are many and read by us alone: they are packed.
"""

from dataclasses import dataclass, replace

from tertulia.context.prompt_plan import LeftOut, PromptPlan, Section
from tertulia.core.compact_values import without_defaults
from tertulia.core.json_object import JsonObject


@dataclass(frozen=True, slots=True)
class PlanItems:
    """What a prompt is made of, and what was left out of it."""

    sections: tuple[Section, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def plan_figures(plan: PromptPlan) -> JsonObject:
    """Return what is stored of a plan besides its items."""
    # Empty sections, rather than none, let a process of the version before read the figures and steps.
    return without_defaults(replace(plan, sections=(), left_out=()))


def join_plan(figures: PromptPlan, items: PlanItems | None) -> PromptPlan:
    """Return a plan as it was; earlier ones have their items among the figures."""
    if items is None:
        return figures
    return replace(figures, sections=items.sections, left_out=items.left_out)
