"""A conversation under random hands, stops and crashes, beside a small model of what it must be."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx2
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
from tests.effort import HEALTH_CHECKS, effort
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, add_person, environment, free_port

from tertulia.core.principal import Role
from tertulia.server import Server, make_server
from tertulia.settings import Settings

T = TypeVar("T")
#: One answers at once, the other only ends when it is stopped.
FAST, SLOW = "scripted-fast", "scripted-slow"
SLOW_REPLY = " ".join(f"word{number}" for number in range(2_000))
FINAL = {"done", "stopped", "interrupted", "failed"}
CUT_SHORT = FINAL - {"done"}
#: What a crash cut off is found so late, where another process might still be writing it.
LEASE_SECONDS = 1
#: What a listener can tell of a reply from events alone.
TOLD = ("id", "kind", "lane", "attempt", "continues", "status", "content", "thinking", "error")

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20)
picks = st.integers(0, 1_000)
tables = st.sampled_from([[FAST], [SLOW], [FAST, SLOW]])


class BackgroundServer:
    """A server on an event loop of its own, which a test can crash."""

    def __init__(self, data_dir: Path, provider: ScriptedProvider) -> None:
        more = {"TERTULIA_UTILITY_MODEL": FAST, "TERTULIA_LEASE_SECONDS": str(LEASE_SECONDS)}
        self._env = environment(data_dir, provider, **more)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port = free_port()
        self.server: Server = self.run(self._start())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something on the server's loop and return what comes of it."""
        outcome: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return outcome.result(timeout=30)

    def crash(self) -> None:
        """End everything at once, half-way, and begin anew on what is on disk."""
        self.run(self._drop())
        self.server = self.run(self._start())

    def close(self) -> None:
        self.run(self._drop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def client(self) -> httpx2.Client:
        """Return a client of a new person."""
        name = f"p{time.monotonic_ns()}@example.org"
        _, token = self.run(add_person(self.server.parts.db, role=Role.OWNER, workspace=None, email=name))
        headers = {"Authorization": f"Bearer {token}"}
        url = f"http://127.0.0.1:{self.port}"
        return httpx2.Client(base_url=url, headers=headers, timeout=20, trust_env=False)

    async def _start(self) -> Server:
        server = make_server(Settings.from_env(self._env), host="127.0.0.1", port=self.port)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            assert not serving.done(), serving.exception()
            await asyncio.sleep(0.005)
        return server

    async def _drop(self) -> None:
        """Cancel every task where it stands: nothing is drained, closed or said."""
        parts = self.server.parts
        for listening in self.server.servers:
            listening.close()
        for connection in list(self.server.server_state.connections):
            connection.transport.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        parts.db.close()
        parts.data_dir.release()


@dataclass
class KnownReply:
    """A reply as it was last seen."""

    id: str
    lane: str
    model: str
    kind: str
    status: str = "queued"
    content: str = ""


@dataclass
class KnownRound:
    """A round as it was accepted; it never changes but for its replies."""

    id: str
    parent: str | None
    text: str
    question_id: str
    replies: dict[str, KnownReply] = field(default_factory=dict)

    def newest(self, lane: str) -> KnownReply:
        return [reply for reply in self.replies.values() if reply.lane == lane][-1]


class Listener:
    """One who only hears events, and what they know of the conversation from them."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.conversation: Json = {}
        self.rounds: dict[str, Json] = {}
        self.replies: dict[str, Json] = {}

    def hear(self, bodies: list[str]) -> None:
        """Take in the next events; their numbers are their places."""
        for body in bodies:
            self.heard.append(body)
            self.apply(json.loads(body))

    def apply(self, event: Json) -> None:
        match event["type"]:
            case "conversation.changed":
                self.conversation = event["conversation"]
            case "round.opened":
                self.rounds[event["round"]["id"]] = event["round"]
                self.replies |= {reply["id"]: reply for reply in event["round"]["replies"]}
                self.conversation["head_id"] = event["round"]["id"]
            case "reply.added":
                self.rounds[event["reply"]["round_id"]]["replies"].append(event["reply"])
                self.replies[event["reply"]["id"]] = event["reply"]
            case "reply.started":
                self.replies[event["reply_id"]]["status"] = "running"
            case "reply.text":
                reply = self.replies[event["reply_id"]]
                assert event["offset"] == len(reply["content"]), "a piece is missing or doubled"
                reply["content"] += event["text"]
            case "reply.closed":
                self.replies[event["reply"]["id"]].update(event["reply"])
            case _:
                pass


def told(round_: Json) -> Json:
    """Return of a round what events tell."""
    replies = [{name: reply[name] for name in TOLD} for reply in round_["replies"]]
    return {"id": round_["id"], "question": round_["question"], "replies": replies}


class ConversationMachine(RuleBasedStateMachine):
    """What people do to one conversation."""

    def __init__(self, server: BackgroundServer) -> None:
        super().__init__()
        self.server = server
        self.client = server.client()
        self.conversation_id = ""
        self.rounds: dict[str, KnownRound] = {}
        self.head: str | None = None
        self.archived = False
        self.listener = Listener()

    # What is done

    @initialize(text=texts, models=tables)
    def begin(self, text: str, models: list[str]) -> None:
        turn = self.accepted("POST", "/api/turn", {"message": text, "models": models})
        self.conversation_id = turn["conversation"]["id"]
        self.rounds, self.archived, self.listener = {}, False, Listener()
        self.opened(turn, text, parent=None)

    @rule(text=texts, models=tables)
    def send(self, text: str, models: list[str]) -> None:
        body = {"message": text, "models": models}
        turn = self.accepted("POST", f"{self.path}/rounds", body)
        self.opened(turn, text, parent=self.head)

    @rule(text=texts, at=picks, reply=picks, from_reply=st.booleans())
    def branch(self, text: str, at: int, reply: int, from_reply: bool) -> None:
        round_ = self.pick(at)
        final = [one for one in round_.replies.values() if one.status in FINAL]
        parent_id = final[reply % len(final)].id if from_reply and final else round_.question_id
        body = {"message": text, "models": [FAST], "parent_id": parent_id}
        self.opened(self.accepted("POST", f"{self.path}/rounds", body), text, parent=round_.id)

    @rule(text=texts, at=picks)
    def edit(self, text: str, at: int) -> None:
        round_ = self.pick(at)
        turn = self.accepted("POST", f"/api/rounds/{round_.id}/edit", {"message": text, "models": [FAST]})
        self.opened(turn, text, parent=round_.parent)

    @rule(at=picks, which=picks)
    def regenerate(self, at: int, which: int) -> None:
        round_, reply = self.pick_reply(at, which)
        answer = self.client.post(f"/api/replies/{reply.id}/regenerate", json={"model": FAST})
        self.joined_by(round_, answer, allowed=reply.status in FINAL)

    @rule(at=picks, which=picks)
    def continue_anything(self, at: int, which: int) -> None:
        self.go_on(*self.pick_reply(at, which))

    @precondition(lambda self: self.cut_short())
    @rule(which=picks)
    def continue_what_was_cut_short(self, which: int) -> None:
        self.go_on(*self.cut_short()[which % len(self.cut_short())])

    def go_on(self, round_: KnownRound, reply: KnownReply) -> None:
        answer = self.client.post(f"/api/replies/{reply.id}/continue")
        newest = round_.newest(reply.lane) is reply
        self.joined_by(round_, answer, allowed=newest and reply.status in CUT_SHORT)

    @rule(at=picks)
    def merge(self, at: int) -> None:
        round_ = self.pick(at)
        final = [one for one in round_.replies.values() if one.kind == "answer" and one.status in FINAL]
        answer = self.client.post(f"/api/rounds/{round_.id}/merge", json={"model": FAST})
        self.joined_by(round_, answer, allowed=any(reply.content for reply in final))

    @rule(at=picks)
    def stop(self, at: int) -> None:
        writing = [
            one for one in self.rounds.values() if any(r.status not in FINAL for r in one.replies.values())
        ]
        round_ = writing[at % len(writing)] if writing else self.pick(at)
        assert self.client.post(f"/api/rounds/{round_.id}/stop").status_code == 202
        self.wait_until(lambda: all(reply.status in FINAL for reply in round_.replies.values()))

    @rule(at=picks)
    def show(self, at: int) -> None:
        self.go_to(self.pick(at))

    @precondition(lambda self: self.forks())
    @rule(at=picks)
    def show_one_way_beyond_a_fork(self, at: int) -> None:
        self.go_to(self.forks()[at % len(self.forks())])

    def go_to(self, round_: KnownRound) -> None:
        self.accepted("PUT", f"{self.path}/head", {"round_id": round_.id}, status=200)
        self.head = self.newest_leaf(round_.id)

    @rule(archived=st.booleans())
    def archive(self, archived: bool) -> None:
        self.accepted("PUT", self.path, {"archived": archived}, status=200)
        self.archived = archived

    @precondition(lambda self: len(self.rounds) > 2)
    @rule(text=texts, models=tables)
    def delete(self, text: str, models: list[str]) -> None:
        gone = self.path
        assert self.client.delete(gone).status_code == 204
        assert self.client.get(gone).status_code == 404
        assert self.client.get(f"{gone}/events").status_code == 404
        self.begin(text, models)

    @rule(text=texts, in_mid_reply=st.booleans())
    def crash(self, text: str, in_mid_reply: bool) -> None:
        if in_mid_reply:
            self.send(text, [SLOW])
            self.wait_until(lambda: any(one.status == "running" and one.content for one in self.replies()))
        running = [one for one in self.replies() if one.status == "running"]
        self.server.crash()
        self.wait_until(lambda: all(reply.status in FINAL for reply in running))

    @rule(pick=picks)
    def reconnect(self, pick: int) -> None:
        self.look()
        heard = self.listener.heard
        after = pick % (len(heard) + 1)
        assert self.events(after, len(heard)) == heard[after:]

    # What must be so

    @invariant()
    def what_is_shown_is_what_was_said(self) -> None:
        if not self.conversation_id:
            return
        page = self.opened_now()
        shown = [(one["id"], one["parent_id"], one["question"]["content"]) for one in page["rounds"]]
        assert shown == [(one.id, one.parent, one.text) for one in self.branch_to(self.head)]
        assert page["conversation"]["head_id"] == self.head
        assert page["conversation"]["archived"] == self.archived
        assert page["conversation"]["round_count"] == len(self.rounds)

    @invariant()
    def every_message_of_every_branch_is_kept(self) -> None:
        if not self.conversation_id:
            return
        messages = self.client.get(f"{self.path}/messages?limit=200").json()["messages"]
        kept = {message["id"]: message["content"] for message in messages}
        assert all(kept[one.question_id] == one.text for one in self.rounds.values())
        final = [reply for reply in self.replies() if reply.status in FINAL]
        assert all(kept[reply.id] == reply.content for reply in final)

    @invariant()
    def whoever_only_listened_knows_the_same(self) -> None:
        if not self.conversation_id:
            return
        page = self.look()
        rounds = self.listener.rounds
        assert set(rounds) == set(self.rounds)
        assert [told(rounds[one["id"]]) for one in page["rounds"]] == [told(one) for one in page["rounds"]]
        for name in ("head_id", "archived", "title"):
            assert self.listener.conversation[name] == page["conversation"][name]

    def teardown(self) -> None:
        if self.conversation_id:
            self.client.delete(self.path)
        self.client.close()

    # How it is seen

    @property
    def path(self) -> str:
        return f"/api/conversations/{self.conversation_id}"

    def accepted(self, method: str, path: str, body: Json, *, status: int = 202) -> Json:
        answer = self.client.request(method, path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def opened(self, turn: Json, text: str, *, parent: str | None) -> None:
        """Take note of a new round, and wait for those of its replies that come at once."""
        view = turn["round"]
        round_ = KnownRound(view["id"], parent, text, view["question"]["id"])
        self.rounds[round_.id] = round_
        self.head = round_.id
        self.see(view)
        self.wait_for_the_fast(round_)

    def joined_by(self, round_: KnownRound, answer: httpx2.Response, *, allowed: bool) -> None:
        """Take note of a further reply, or that there must be none."""
        if not allowed:
            assert answer.status_code == 409, answer.text
            return
        assert answer.status_code == 202, answer.text
        assert len(answer.json()["round"]["replies"]) == len(round_.replies) + 1
        self.see(answer.json()["round"])
        self.wait_for_the_fast(round_)

    def see(self, view: Json) -> None:
        """Compare a round with what is known of it, and learn what is new: nothing seen is ever lost."""
        known = self.rounds[view["id"]].replies
        assert list(known) == [reply["id"] for reply in view["replies"]][: len(known)]
        for reply in view["replies"]:
            now = known.setdefault(
                reply["id"], KnownReply(reply["id"], reply["lane"], reply["model"], reply["kind"])
            )
            if now.status in FINAL:
                assert (reply["status"], reply["content"]) == (now.status, now.content)
            assert reply["status"] in FINAL or (now.status, reply["status"]) != ("running", "queued")
            assert reply["content"].startswith(now.content)
            if reply["status"] == "done" and reply["model"] == FAST:
                assert reply["content"].startswith(f"{FAST} heard: ") or reply["continues"]
            now.status, now.content = reply["status"], reply["content"]

    def opened_now(self) -> Json:
        page = self.client.get(f"{self.path}?limit=200").json()
        for view in page["rounds"]:
            self.see(view)
        return page

    def look(self) -> Json:
        """See every round of every branch: those that are shown in a page, all in the events up to it."""
        page = self.opened_now()
        self.listener.hear(self.events(len(self.listener.heard), page["last_event_id"]))
        for round_ in self.listener.rounds.values():
            self.see(round_)
        return page

    def events(self, after: int, last: int) -> list[str]:
        """Follow the conversation from one number through another."""
        found: list[str] = []
        if after >= last:
            return found
        headers = {"Last-Event-ID": str(after)}
        with self.client.stream("GET", f"{self.path}/events", headers=headers) as stream:
            lines = stream.iter_lines()
            for line in lines:
                if line == "event: ping":
                    assert int(next(lines)[3:]) == after + len(found), "a ping is somewhere else"
                    next(lines)
                elif line.startswith("id:"):
                    assert int(line[3:]) == after + len(found) + 1, "a number is missing or doubled"
                elif line.startswith("data:"):
                    found.append(line[5:])
                    if after + len(found) == last:
                        break
        return found

    def wait_for_the_fast(self, round_: KnownRound) -> None:
        fast = [reply for reply in round_.replies.values() if reply.model == FAST]
        self.wait_until(lambda: all(reply.status in FINAL for reply in fast))

    def wait_until(self, condition: Callable[[], bool], *, seconds: float = 10) -> None:
        until = time.monotonic() + seconds
        self.look()
        while not condition():
            assert time.monotonic() < until, "what must happen does not"
            time.sleep(0.02)
            self.look()

    def replies(self) -> list[KnownReply]:
        return [reply for round_ in self.rounds.values() for reply in round_.replies.values()]

    def cut_short(self) -> list[tuple[KnownRound, KnownReply]]:
        """Return the replies that can be continued."""
        newest = [(one, reply) for one in self.rounds.values() for reply in one.replies.values()]
        return [
            (one, reply)
            for one, reply in newest
            if reply.status in CUT_SHORT and one.newest(reply.lane) is reply
        ]

    def forks(self) -> list[KnownRound]:
        """Return the rounds after which there are several ways to go."""
        parents = [one.parent for one in self.rounds.values()]
        return [one for one in self.rounds.values() if parents.count(one.id) > 1]

    def pick(self, number: int) -> KnownRound:
        return list(self.rounds.values())[number % len(self.rounds)]

    def pick_reply(self, at: int, which: int) -> tuple[KnownRound, KnownReply]:
        round_ = self.pick(at)
        return round_, list(round_.replies.values())[which % len(round_.replies)]

    def branch_to(self, last: str | None) -> list[KnownRound]:
        branch: list[KnownRound] = []
        while last is not None:
            branch.insert(0, self.rounds[last])
            last = self.rounds[last].parent
        return branch

    def newest_leaf(self, round_id: str) -> str:
        children = [one.id for one in self.rounds.values() if one.parent == round_id]
        return self.newest_leaf(max(children)) if children else round_id


def test_a_conversation_survives_whatever_is_done_to_it(tmp_path: Path, provider: ScriptedProvider) -> None:
    provider.script(SLOW, Script(reply=SLOW_REPLY, tokens_per_second=10))
    server = BackgroundServer(tmp_path / "data", provider)

    class MachineOfThisServer(ConversationMachine):
        def __init__(self) -> None:
            super().__init__(server)

    try:
        run_state_machine_as_test(
            MachineOfThisServer,
            settings=settings(
                max_examples=effort(15),
                stateful_step_count=12,
                # Each example takes a second, so the first failing one is told as it is.
                phases=[Phase.explicit, Phase.reuse, Phase.generate],
                suppress_health_check=HEALTH_CHECKS,
            ),
        )
    finally:
        server.close()
