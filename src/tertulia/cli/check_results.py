"""What a check of the doctor found."""

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """How a check went."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found; `fix` says what to do unless all is well."""

    name: str
    state: CheckState
    message: str
    fix: str = ""
