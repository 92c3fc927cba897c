"""One person's memories under random decisions, beside a small model of what must be known of them."""

import asyncio
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.accounts_door import ok
from tests.effort import HEALTH_CHECKS, effort
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import Json, Person, World

from tertulia.core.ids import ulid_of
from tertulia.memories.statement_rules import find_statements
from tertulia.memories.subjects import replaces
from tertulia.retrieval import indexer

#: Sentences of which a later one with another name takes the place of an earlier one.
SUBJECTS = ("I live in {}.", "My name is {}.", "My mother lives in {}.")
#: No name is used twice, so that nothing is said twice.
NAMES = [
    f"{first}{second}a" for first, second in product("BDFGKLMNPRSTVZ", ("abo", "edi", "ilu", "oro", "umi"))
]
STATUSES = ("proposed", "active", "archived", "superseded", "rejected")
ALL_STATUSES_QUERY = "&".join(["?limit=200", *(f"status={status}" for status in STATUSES)])
#: A note in a prompt, with its number.
TOLD_PATTERN = re.compile(r"- ([^\n]+?) \[M\d+\]")
ASIDE = "Good morning to all of you."

picks = st.integers(0, 1_000)
subjects = st.sampled_from(SUBJECTS)


@dataclass
class KnownMemory:
    """A memory as it must be."""

    id: str
    subject: str
    content: str
    status: str
    conversation: str | None = None
    message: str | None = None
    pinned: bool = False
    supersedes: str | None = None
    superseded_by: str | None = None
    is_version: bool = False

    def view(self) -> Json:
        names = ("id", "content", "status", "pinned", "supersedes", "superseded_by")
        return {name: getattr(self, name) for name in names}


@dataclass
class KnownTalk:
    """A conversation, and what was said in each of its messages."""

    id: str
    statements: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    is_shared: bool = False


class MemoriesMachine(RuleBasedStateMachine):
    """What a person does with what is remembered of them, while an admin looks on."""

    def __init__(self, world: World, provider: ScriptedProvider, runner: asyncio.Runner) -> None:
        super().__init__()
        self.world, self.provider, self.runner = world, provider, runner
        self.memories: dict[str, KnownMemory] = {}
        self.talks: dict[str, KnownTalk] = {}
        self.names = iter(NAMES)
        self.domain = ""
        self.ada: Person | None = None

    # What is done

    @initialize()
    def begin(self) -> None:
        self.runner.run(self.move_in())

    async def move_in(self) -> None:
        self.ada = await self.world.person(role="owner")
        self.bea = await self.world.person(like=self.ada, role="admin")
        self.alone = (await self.call("POST", "/api/conversations", {"title": "Alone"}, 201))["id"]
        self.shared = (await self.call("POST", "/api/conversations", {"title": "Together"}, 201))["id"]
        await self.call("PUT", f"/api/conversations/{self.shared}", {"visibility": "workspace"})

    @rule(subject=subjects, at=picks, is_new=st.booleans())
    def say(self, subject: str, at: int, is_new: bool) -> None:
        text = subject.format(next(self.names))
        talk = None if is_new or not self.talks else self.pick(list(self.talks.values()), at)
        more = {"conversation_id": talk.id} if talk else {}
        turn = self.run(self.me.start(f"{text} What now?", **more))
        self.run(self.me.finished(turn))
        talk = talk or KnownTalk(turn["conversation"]["id"])
        self.talks[talk.id] = talk
        talk.statements[turn["round"]["question"]["id"]] = (subject, text)
        self.extract_from(talk)

    @precondition(lambda self: self.talks)
    @rule(at=picks)
    def extract_again(self, at: int) -> None:
        self.extract_from(self.pick(list(self.talks.values()), at))

    def extract_from(self, talk: KnownTalk) -> None:
        """Look through a conversation: what was not found before is proposed, and by nobody else."""
        path, body = "/api/memories/extract", {"conversation_id": talk.id}
        if talk.is_shared:
            assert ok(self.run(self.bea.post(path, body)))["memories"] == []
        found = {memory.message for memory in self.memories.values()}
        wanted = {message: said for message, said in talk.statements.items() if message not in found}
        proposed = self.do("POST", path, body)["memories"]
        assert {memory["evidence"]["message_id"] for memory in proposed} == set(wanted)
        for memory in proposed:
            message = memory["evidence"]["message_id"]
            subject, text = wanted[message]
            assert (memory["content"], memory["evidence"]["quote"]) == (text, text)
            self.know(KnownMemory(memory["id"], subject, text, "proposed", talk.id, message))

    @rule(subject=subjects, pinned=st.booleans())
    def write(self, subject: str, pinned: bool) -> None:
        text = subject.format(next(self.names))
        body = {"type": "fact", "content": text, "pinned": pinned}
        made = self.do("POST", "/api/memories", body, status=201)
        self.activate(self.know(KnownMemory(made["id"], subject, text, "active", pinned=pinned)))

    @precondition(lambda self: self.those("proposed", "rejected"))
    @rule(at=picks, are_all=st.booleans())
    def approve(self, at: int, are_all: bool) -> None:
        waiting = self.those("proposed", "rejected")
        chosen = waiting if are_all else [self.pick(waiting, at)]
        self.do("POST", "/api/memories/approve", {"ids": [memory.id for memory in chosen]})
        for memory in sorted(chosen, key=lambda memory: memory.id):
            self.activate(memory)

    @precondition(lambda self: self.those("proposed"))
    @rule(at=picks)
    def reject(self, at: int) -> None:
        memory = self.pick(self.those("proposed"), at)
        self.do("POST", "/api/memories/reject", {"ids": [memory.id]})
        memory.status = "rejected"

    @rule(at=picks)
    def decide_on_what_does_not_wait(self, at: int) -> None:
        settled = self.those("active", "archived", "superseded")
        if settled:
            memory = self.pick(settled, at)
            self.do("POST", "/api/memories/reject", {"ids": [memory.id]}, status=409)
            approved = 200 if memory.status == "active" else 409
            self.do("POST", "/api/memories/approve", {"ids": [memory.id]}, status=approved)

    @precondition(lambda self: self.correctable())
    @rule(at=picks)
    def correct(self, at: int) -> None:
        memory = self.pick(self.correctable(), at)
        before = KnownMemory(**(vars(memory) | {"id": "", "status": "superseded", "is_version": True}))
        memory.content = memory.subject.format(next(self.names))
        changed = self.do("PUT", self.path(memory), {"content": memory.content})
        if memory.status != "proposed":
            before.id, before.superseded_by, before.pinned = changed["supersedes"], memory.id, False
            memory.supersedes = self.know(before).id

    @precondition(lambda self: self.those("active", "archived"))
    @rule(at=picks, pinned=st.booleans())
    def pin(self, at: int, pinned: bool) -> None:
        memory = self.pick(self.those("active", "archived"), at)
        self.do("PUT", self.path(memory), {"pinned": pinned})
        memory.pinned = pinned

    @precondition(lambda self: self.those("active"))
    @rule(at=picks)
    def archive(self, at: int) -> None:
        memory = self.pick(self.those("active"), at)
        self.do("PUT", self.path(memory), {"archived": True})
        memory.status = "archived"

    @precondition(lambda self: self.restorable())
    @rule(at=picks)
    def restore(self, at: int) -> None:
        memory = self.pick(self.restorable(), at)
        self.do("PUT", self.path(memory), {"archived": False})
        self.activate(memory)

    @precondition(lambda self: self.undoable())
    @rule(at=picks)
    def undo(self, at: int) -> None:
        memory = self.pick(self.undoable(), at)
        superseded = [old for old in self.those("superseded") if old.superseded_by == memory.id]
        replaced = sorted((old for old in superseded if not old.is_version), key=lambda old: old.id)
        memory.status, memory.supersedes = "archived", None
        for old in replaced:
            old.superseded_by = None
            self.activate(old)
        [held] = [old for old in replaced if old.status == "active"]
        assert self.do("POST", f"{self.path(memory)}/undo")["id"] == held.id

    @precondition(lambda self: self.memories)
    @rule(at=picks)
    def delete_and_bring_back(self, at: int) -> None:
        memory = self.pick(list(self.memories.values()), at)
        deletion = self.do("POST", f"{self.path(memory)}/deletion", status=201)["id"]
        versions = [old.id for old in self.memories.values() if old.is_version]
        of_it = [id_ for id_ in versions if self.memories[id_].superseded_by == memory.id]
        hidden = {memory_id: self.memories.pop(memory_id) for memory_id in {memory.id, *of_it}}
        self.check_lists(links=False)
        self.what_is_not_active_is_told_and_found_nowhere()
        ok(self.run(self.me.post(f"/api/deletions/{deletion}/restore")), 204)
        self.memories |= hidden

    @precondition(lambda self: self.memories)
    @rule(at=picks)
    def forget(self, at: int) -> None:
        memory = self.pick(list(self.memories.values()), at)
        assert self.run(self.bea.delete(self.path(memory))).status_code == 404
        ok(self.run(self.me.delete(self.path(memory))), 204)
        self.drop({memory.id})
        assert self.run(self.me.get(self.path(memory))).status_code == 404

    @precondition(lambda self: self.talks)
    @rule(at=picks, is_undone=st.booleans())
    def delete_conversation(self, at: int, is_undone: bool) -> None:
        talk = self.pick(list(self.talks.values()), at)
        of_talk = {memory.id for memory in self.memories.values() if memory.conversation == talk.id}
        if not is_undone:
            ok(self.run(self.me.delete(f"/api/conversations/{talk.id}")), 204)
            del self.talks[talk.id]
            self.drop(of_talk)
            return
        deletion = self.do("POST", f"/api/conversations/{talk.id}/deletion", status=201)["id"]
        hidden = {memory_id: self.memories.pop(memory_id) for memory_id in of_talk}
        self.check_lists(links=False)
        self.what_is_not_active_is_told_and_found_nowhere()
        ok(self.run(self.me.post(f"/api/deletions/{deletion}/restore")), 204)
        self.memories |= hidden

    @precondition(lambda self: self.talks)
    @rule(at=picks)
    def share(self, at: int) -> None:
        talk = self.pick(list(self.talks.values()), at)
        self.do("PUT", f"/api/conversations/{talk.id}", {"visibility": "workspace"})
        talk.is_shared = True

    @rule(consents=st.booleans())
    def consent(self, consents: bool) -> None:
        self.do("PUT", "/api/memory/consent", {"consented": consents})
        self.domain = f"the making of {next(self.names)}" if consents else ""
        if consents:
            self.do("PUT", "/api/memory/profile", {"context": {"domain": self.domain}})

    # What must be so

    @invariant()
    def what_is_listed_is_what_was_decided(self) -> None:
        if self.ada:
            self.check_lists()

    @invariant()
    def what_is_not_active_is_told_and_found_nowhere(self) -> None:
        if self.ada:
            self.check_prompts()
            self.check_search()

    @invariant()
    def an_admin_sees_nothing_of_it(self) -> None:
        if self.ada:
            page = ok(self.run(self.bea.get(f"/api/memories{ALL_STATUSES_QUERY}")))
            assert (page["memories"], page["waiting"]) == ([], 0)
            assert ok(self.run(self.bea.get("/api/memory/profile")))["profile"] is None

    def check_lists(self, *, links: bool = True) -> None:
        page = self.do("GET", f"/api/memories{ALL_STATUSES_QUERY}")
        shown = {memory["id"]: memory for memory in page["memories"]}
        assert {id_: memory["status"] for id_, memory in shown.items()} == {
            memory.id: memory.status for memory in self.memories.values()
        }
        assert page["waiting"] == len(self.those("proposed"))
        for memory in self.memories.values() if links else ():
            view = memory.view()
            assert {name: shown[memory.id][name] for name in view} == view
            later = self.memories.get(memory.superseded_by or "")
            # One that took the place of several leads to the first of them.
            first = later and self.memories.get(later.supersedes or "")
            assert first is None or first.superseded_by == memory.superseded_by, "a link goes one way only"

    def check_prompts(self) -> None:
        active = {memory.content for memory in self.those("active")}
        about = {f"Domain: {self.domain}"} if self.domain else set[str]()
        assert self.told(self.alone) == active | about
        assert self.told(self.shared) == set()

    def told(self, conversation: str) -> set[str]:
        """Ask something in a conversation, and return what a model is told of the person."""
        self.run(self.me.ask(ASIDE, conversation_id=conversation))
        messages = self.provider.requests("scripted-fast")[-1].body["messages"]
        return {note for message in messages for note in TOLD_PATTERN.findall(str(message["content"]))}

    def check_search(self) -> None:
        self.run(indexed(self.world, meanings=False))
        for memory in list(self.memories.values())[-2:]:
            found = self.run(hits(self.me, memory.content, filter={"kinds": ["memory"]}))
            contents = {hit["content"] for hit in found}
            assert contents <= {other.content for other in self.those("active")}
            assert (memory.content in contents) == (memory.status == "active")
            assert self.run(hits(self.bea, memory.content, filter={"kinds": ["memory"]})) == []

    # How it is done

    @property
    def me(self) -> Person:
        assert self.ada
        return self.ada

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    async def call(self, method: str, path: str, body: Json | None = None, status: int = 200) -> Json:
        return ok_or(await self.me.client.request(method, path, json=body), status)

    def do(self, method: str, path: str, body: Json | None = None, *, status: int = 200) -> Json:
        return self.run(self.call(method, path, body, status))

    def path(self, memory: KnownMemory) -> str:
        return f"/api/memories/{memory.id}"

    def pick(self, choices: list[Any], number: int) -> Any:
        return choices[number % len(choices)]

    def know(self, memory: KnownMemory) -> KnownMemory:
        self.memories[memory.id] = memory
        return memory

    def those(self, *statuses: str) -> list[KnownMemory]:
        return [memory for memory in self.memories.values() if memory.status in statuses]

    def rivals(self, memory: KnownMemory) -> list[KnownMemory]:
        """Return what an active memory would take the place of."""
        return [
            other for other in self.those("active") if other is not memory and other.subject == memory.subject
        ]

    def activate(self, memory: KnownMemory) -> None:
        """Let what was said last hold, whichever of it becomes active last."""
        memory.status = "active"
        for other in self.rivals(memory):
            old, new = sorted((memory, other), key=self.said)
            old.status, old.superseded_by, new.supersedes = "superseded", new.id, new.supersedes or old.id
            new.pinned = new.pinned or old.pinned

    def said(self, memory: KnownMemory) -> str:
        """Return what orders memories by when they were said, or corrected."""
        versions = [
            other.id
            for other in self.memories.values()
            if other.is_version and other.superseded_by == memory.id
        ]
        return ulid_of(max(versions, default="") or memory.message or memory.id)

    def correctable(self) -> list[KnownMemory]:
        return [memory for memory in self.those("proposed", "active", "archived") if not memory.supersedes]

    def restorable(self) -> list[KnownMemory]:
        return [
            memory for memory in self.those("archived") if not memory.supersedes or not self.rivals(memory)
        ]

    def undoable(self) -> list[KnownMemory]:
        replaced = {memory.id for memory in self.those("superseded") if not memory.is_version}
        return [memory for memory in self.those("active") if memory.supersedes in replaced]

    def drop(self, ids: set[str]) -> None:
        """Forget memories with what they said before; what they stood in for or replaced stays."""
        gone = ids | {
            memory.id
            for memory in self.memories.values()
            if memory.is_version and memory.superseded_by in ids
        }
        self.memories = {id_: memory for id_, memory in self.memories.items() if id_ not in gone}
        for memory in self.memories.values():
            memory.supersedes = None if memory.supersedes in gone else memory.supersedes
            if memory.superseded_by in gone:
                memory.status, memory.superseded_by = "archived", None


def ok_or(answer: Any, status: int) -> Json:
    """Return what was answered with a status."""
    assert answer.status_code == status, answer.text
    return answer.json()


def test_the_sentences_are_found_and_replace_each_other_by_subject() -> None:
    for subject, other in product(SUBJECTS, SUBJECTS):
        new, old = subject.format(NAMES[0]), other.format(NAMES[1])
        assert [statement.content for statement in find_statements(f"{new} What now?")] == [new]
        assert replaces(new, old) == (subject == other)


@pytest.mark.both_engines
def test_memories_are_what_their_person_decided(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "INDEXER_POLL_SECONDS", 0.02)
    provider.script("scripted-fast", Script(reply="So be it."))
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        world = runner.run(stack.enter_async_context(World.open(tmp_path / "data", provider=provider)))

        class MachineOfThisServer(MemoriesMachine):
            def __init__(self) -> None:
                super().__init__(world, provider, runner)

        try:
            run_state_machine_as_test(
                MachineOfThisServer,
                settings=settings(
                    max_examples=effort(6),
                    stateful_step_count=10,
                    # Each example takes a second, so the first failing one is told as it is.
                    phases=[Phase.explicit, Phase.reuse, Phase.generate],
                    suppress_health_check=HEALTH_CHECKS,
                ),
            )
        finally:
            runner.run(stack.aclose())
