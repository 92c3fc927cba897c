"""Two people's tasks under random decisions, beside a small model of what each must be shown."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase as Steps
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.effort import HEALTH_CHECKS, effort
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World

from tertulia.infra.db import Tx
from tertulia.tasks import positions

FIRST_DAY = date(2026, 11, 16)
STATUSES = ("backlog", "in_progress", "done", "blocked")
WEEKLY_RULE = "FREQ=WEEKLY"
WEEK = timedelta(weeks=1)

picks = st.integers(0, 1_000)
people = st.sampled_from((0, 1))


@dataclass
class KnownTask:
    """A task as it must be."""

    id: str
    title: str
    #: Who made it, by number.
    owner: int
    project_id: str | None
    phase_id: str | None = None
    status: str = "backlog"
    rrule: str = ""
    due_date: str | None = None
    #: The occurrence that followed when it was done.
    next_id: str | None = None
    #: Somebody did something with it since it was made.
    is_touched: bool = False
    is_deleted: bool = False

    def is_seen_by(self, person: int) -> bool:
        return not self.is_deleted and (self.project_id is not None or self.owner == person)


@dataclass
class KnownPhase:
    """A phase as it must be."""

    id: str
    project_id: str
    is_deleted: bool = False


class TasksMachine(RuleBasedStateMachine):
    """What two people do with their tasks, those of two projects and their phases."""

    def __init__(self, world: World, runner: asyncio.Runner) -> None:
        super().__init__()
        self.world, self.runner = world, runner
        self.tasks: dict[str, KnownTask] = {}
        self.phases: dict[str, KnownPhase] = {}
        #: What each person was shown last, in its order.
        self.orders: list[list[str]] = [[], []]
        #: Deletions that can be undone: who made them, and what is brought back.
        self.deletions: dict[str, tuple[int, list[KnownTask] | list[KnownPhase]]] = {}
        self.members: list[Person] = []
        self.number = 0

    # What is done

    @initialize()
    def begin(self) -> None:
        self.runner.run(self.move_in())

    async def move_in(self) -> None:
        ada = await self.world.person(role="owner")
        self.members = [ada, await self.world.person(like=ada)]
        made = [await ada.post("/api/projects", {"name": name}) for name in ("House", "Boat")]
        self.projects = [answer.json()["id"] for answer in made]

    @rule(by=people, at=picks, is_weekly=st.booleans(), status=st.sampled_from(STATUSES))
    def create(self, by: int, at: int, is_weekly: bool, status: str) -> None:
        self.number += 1
        task = KnownTask("", f"Task {self.number}", by, self.pick([None, *self.projects], at), status=status)
        if is_weekly:
            task = replace(task, rrule=WEEKLY_RULE, due_date=FIRST_DAY.isoformat())
        names = ("title", "project_id", "status", "rrule", "due_date")
        body = {name: getattr(task, name) for name in names}
        task.id = self.do(by, "POST", "/api/tasks", body, status=201)["id"]
        self.tasks[task.id] = task
        self.orders[by].append(task.id)
        self.follow(by, task, was_done=False)
        self.settle_orders({task.id, task.next_id}, by=by)

    @precondition(lambda self: self.tasks)
    @rule(by=people, at=picks, status=st.sampled_from(STATUSES))
    def set_status(self, by: int, at: int, status: str) -> None:
        if (task := self.pick_seen(by, at)) and task.status != status:
            was_done, task.status, task.is_touched = task.status == "done", status, True
            self.change(by, task, status=status)
            self.follow(by, task, was_done=was_done)
            self.settle_orders({task.next_id}, by=by)

    @precondition(lambda self: self.tasks)
    @rule(by=people, at=picks)
    def rename(self, by: int, at: int) -> None:
        if task := self.pick_seen(by, at):
            task.title, task.is_touched = f"{task.title}!", True
            self.change(by, task, title=task.title)

    @precondition(lambda self: self.tasks)
    @rule(by=people, at=picks, to=picks)
    def move_to_project(self, by: int, at: int, to: int) -> None:
        task, project_id = self.pick_seen(by, at), self.pick([None, *self.projects], to)
        if task is None or task.project_id == project_id:
            return
        if project_id is None and task.owner != by:
            self.change(by, task, project_id=None, expected=409)
            return
        task.project_id, task.phase_id, task.is_touched = project_id, None, True
        self.change(by, task, project_id=project_id)
        self.settle_orders({task.id})

    @precondition(lambda self: self.tasks)
    @rule(by=people, at=picks, to=picks)
    def move_in_order(self, by: int, at: int, to: int) -> None:
        if task := self.pick_seen(by, at):
            order = self.orders[by]
            order.remove(task.id)
            place = to % (len(order) + 1)
            body = {"after": order[place - 1] if place else None}
            self.do(by, "POST", f"/api/tasks/{task.id}/move", body)
            order.insert(place, task.id)
            self.settle_orders({task.id}, by=by)

    @rule(by=people, at=picks)
    def add_phase(self, by: int, at: int) -> None:
        project_id = self.pick(self.projects, at)
        path = f"/api/projects/{project_id}/phases"
        made = self.do(by, "POST", path, {"name": "A phase"}, status=201)
        self.phases[made["id"]] = KnownPhase(made["id"], project_id)

    @precondition(lambda self: self.tasks and self.phases)
    @rule(by=people, at=picks, to=picks)
    def put_into_phase(self, by: int, at: int, to: int) -> None:
        task, phase = self.pick_seen(by, at), self.pick(list(self.phases.values()), to)
        if task is None or self.shown_phase(task) == phase.id:
            return
        if phase.is_deleted:
            self.change(by, task, phase_id=phase.id, expected=404)
        elif task.project_id not in (None, phase.project_id):
            self.change(by, task, phase_id=phase.id, expected=422)
        else:
            task.project_id, task.phase_id, task.is_touched = phase.project_id, phase.id, True
            self.change(by, task, phase_id=phase.id)
            self.settle_orders({task.id})

    @precondition(lambda self: self.tasks)
    @rule(by=people, at=picks, also=picks)
    def delete(self, by: int, at: int, also: int) -> None:
        chosen = {task.id: task for task in (self.pick_seen(by, at), self.pick_seen(by, also)) if task}
        if chosen:
            deletion = self.do(by, "POST", "/api/tasks/bulk-delete", {"ids": list(chosen)})["id"]
            self.deletions[deletion] = by, list(chosen.values())
            for task in chosen.values():
                task.is_deleted, task.is_touched = True, True
            self.settle_orders({*chosen})

    @precondition(lambda self: self.live_phases())
    @rule(by=people, at=picks)
    def delete_phase(self, by: int, at: int) -> None:
        phase = self.pick(self.live_phases(), at)
        path = f"/api/projects/{phase.project_id}/phases/{phase.id}"
        self.deletions[self.do(by, "DELETE", path)["id"]] = by, [phase]
        phase.is_deleted = True

    @precondition(lambda self: self.deletions)
    @rule(by=people, at=picks)
    def restore(self, by: int, at: int) -> None:
        deletion = self.pick(list(self.deletions), at)
        who, gone = self.deletions[deletion]
        path = f"/api/deletions/{deletion}/restore"
        if who != by:
            self.do(by, "POST", path, status=404)
            return
        self.do(by, "POST", path, status=204)
        del self.deletions[deletion]
        for thing in gone:
            thing.is_deleted = False
        self.settle_orders({thing.id for thing in gone})

    @rule()
    def make_room(self) -> None:
        """Have all tasks be numbered anew, as happens where there is no room between two."""

        def renumber(tx: Tx) -> None:
            positions.store.renumber(tx)

        self.run(self.world.db.write(renumber, by=self.members[0].principal))

    # What must be so

    @invariant()
    def each_is_shown_what_is_theirs(self) -> None:
        for by, _ in enumerate(self.members):
            shown = {task["id"]: task for task in self.list_tasks(by)}
            assert list(shown) == self.orders[by]
            assert shown.keys() == {task.id for task in self.tasks.values() if task.is_seen_by(by)}
            for task in self.tasks.values():
                if task.is_seen_by(by):
                    known = vars(task) | {"phase_id": self.shown_phase(task)}
                    seen = shown[task.id]
                    assert {name: known[name] for name in known.keys() & seen.keys()} == {
                        name: seen[name] for name in known.keys() & seen.keys()
                    }
                    assert (seen["completed_at"] is not None) == (task.status == "done")

    @invariant()
    def phases_say_how_far_they_have_come(self) -> None:
        for project_id in self.projects if self.members else ():
            page = self.do(0, "GET", f"/api/projects/{project_id}/phases")
            assert [(phase["id"], phase["task_count"], phase["done_count"]) for phase in page["phases"]] == [
                (phase.id, len(statuses := self.statuses_in(phase)), statuses.count("done"))
                for phase in self.live_phases()
                if phase.project_id == project_id
            ]

    # How it is done

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def do(self, by: int, method: str, path: str, body: Json | None = None, *, status: int = 200) -> Json:
        answer = self.run(self.members[by].client.request(method, path, json=body))
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else {}

    def change(self, by: int, task: KnownTask, *, expected: int = 200, **values: Any) -> None:
        self.do(by, "PUT", f"/api/tasks/{task.id}", values, status=expected)

    def list_tasks(self, by: int) -> list[Json]:
        """Return all tasks that a person is shown, three at a time."""
        shown: list[Json] = []
        after = ""
        while True:
            page = self.do(by, "GET", f"/api/tasks?limit=3&after={after}")
            shown += page["tasks"]
            if not (after := page["next"]):
                return shown

    def pick(self, choices: list[Any], number: int) -> Any:
        return choices[number % len(choices)]

    def pick_seen(self, by: int, number: int) -> KnownTask | None:
        """Pick any task; one that a person cannot see is refused, and none is picked."""
        task = self.pick(list(self.tasks.values()), number)
        if task.is_seen_by(by):
            return task
        self.change(by, task, title="Taken", expected=404)
        return None

    def live_phases(self) -> list[KnownPhase]:
        return [phase for phase in self.phases.values() if not phase.is_deleted]

    def shown_phase(self, task: KnownTask) -> str | None:
        phase = self.phases.get(task.phase_id or "")
        return phase.id if phase and not phase.is_deleted else None

    def statuses_in(self, phase: KnownPhase) -> list[str]:
        tasks = self.tasks.values()
        return [task.status for task in tasks if task.phase_id == phase.id and not task.is_deleted]

    def follow(self, by: int, task: KnownTask, *, was_done: bool) -> None:
        """Do what follows from a recurring task's being done, or being to do again."""
        if was_done == (task.status == "done"):
            return
        following = self.tasks.get(task.next_id or "")
        if not was_done and task.rrule and following is None:
            self.make_next(by, task)
        elif was_done and following and not (following.is_touched or following.is_deleted):
            del self.tasks[following.id]
            for order in self.orders:
                order[:] = [task_id for task_id in order if task_id != following.id]
            task.next_id = None

    def make_next(self, by: int, task: KnownTask) -> None:
        known, order = set(self.tasks), self.orders[by]
        (made,) = [shown["id"] for shown in self.list_tasks(by) if shown["id"] not in known]
        assert task.due_date
        due = date.fromisoformat(task.due_date) + WEEK
        following = replace(task, id=made, status="backlog", due_date=due.isoformat(), is_touched=False)
        task.next_id, following.next_id = made, None
        following.phase_id = self.shown_phase(task)
        self.tasks[made] = following
        order.insert(order.index(task.id) + 1, made)

    def settle_orders(self, touched: set[str | None], *, by: int | None = None) -> None:
        """Take over the places of what was touched, where they may be any; all else stays in its order."""
        for person, _ in enumerate(self.members):
            if person != by:
                shown = [task["id"] for task in self.list_tasks(person)]
                before = [task_id for task_id in self.orders[person] if task_id not in touched]
                kept = [task_id for task_id in shown if task_id not in touched]
                assert kept == before
                self.orders[person] = shown


@pytest.mark.both_engines
def test_tasks_are_what_their_people_decided(tmp_path: Path, provider: ScriptedProvider) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        world = runner.run(stack.enter_async_context(World.open(tmp_path / "data", provider=provider)))

        class MachineOfThisServer(TasksMachine):
            def __init__(self) -> None:
                super().__init__(world, runner)

        try:
            run_state_machine_as_test(
                MachineOfThisServer,
                settings=settings(
                    max_examples=effort(8),
                    stateful_step_count=14,
                    # Each example takes a while, so the first failing one is told as it is.
                    phases=[Steps.explicit, Steps.reuse, Steps.generate],
                    suppress_health_check=HEALTH_CHECKS,
                ),
            )
        finally:
            runner.run(stack.aclose())
