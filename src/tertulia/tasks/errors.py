"""How tasks and phases are refused."""

from tertulia.core.errors import Invalid, Kind, TertuliaError


class RuleUnreadable(Invalid):
    """A rule of recurrence is none that RFC 5545 knows, or none that days can follow."""

    code = "rule_unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"This rule of recurrence cannot be read: {reason}. One looks like FREQ=WEEKLY;BYDAY=MO."
        )


class RuleNeverHappens(Invalid):
    """A rule of recurrence names no day at all."""

    code = "rule_never_happens"

    def __init__(self) -> None:
        super().__init__("By this rule the task never happens. Choose other days, or a later end.")


class RuleMissing(Invalid):
    """A task is to recur without a rule, or to have a rule and be done once."""

    code = "rule_missing"

    def __init__(self) -> None:
        super().__init__("A recurring task needs a rule in `rrule`, and a task that is done once has none.")


class DatesReversed(Invalid):
    """Something would end before it begins."""

    code = "dates_reversed"

    def __init__(self) -> None:
        super().__init__("The first day is after the last one. Change one of them.")


class PhaseElsewhere(Invalid):
    """A phase belongs to another project than the task."""

    code = "phase_elsewhere"

    def __init__(self) -> None:
        super().__init__("This phase belongs to another project. Choose one of the task's own project.")


class FieldUnreadable(Invalid):
    """A field of a task has a value that it cannot have."""

    code = "field_unreadable"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name!r} cannot be read: {reason}.", field=name)


class TaskUnfit(TertuliaError):
    """What was asked of a task does not fit whose it is."""

    kind = Kind.CONFLICT
    code = "task_unfit"

    def __init__(self, message: str) -> None:
        super().__init__(message)
