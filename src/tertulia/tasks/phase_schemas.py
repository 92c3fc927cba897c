"""Phases on the wire."""

from datetime import date

from tertulia.infra.http.schema import AnyCaseId, CursorPage, Schema, ShortText
from tertulia.tasks.domain import NewPhase
from tertulia.tasks.schemas import Day, TaskText


class NewPhaseBody(Schema):
    """A phase to be made, at the end of its project."""

    name: ShortText
    description: TaskText = ""
    start_date: Day | None = None
    #: Its last day.
    end_date: Day | None = None

    def to_phase(self) -> NewPhase:
        """Return the phase that is meant."""
        return NewPhase(self.name, self.description, self.start_date, self.end_date)


class PhaseChange(Schema):
    """What to change; fields that are left out stay as they are."""

    name: ShortText = ""
    description: TaskText = ""
    start_date: Day | None = None
    end_date: Day | None = None


class PhaseMove(Schema):
    """Where to put a phase: right after another of its project, or before all."""

    after: AnyCaseId | None


class PhaseView(Schema):
    """A phase, and how far it has come."""

    id: str
    project_id: str
    name: str
    description: str
    start_date: date | None
    end_date: date | None
    position: int
    task_count: int
    done_count: int


class PhasePage(CursorPage):
    """Some phases of a project, in their order."""

    phases: list[PhaseView]
