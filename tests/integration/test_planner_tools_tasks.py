"""Models read and write tasks and projects, and write only with the person's yes."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.planner_world import (
    WORKER,
    ZONE,
    ask_and_allow,
    ask_to_read,
    decide,
    live_in,
    said_to,
    tool_call,
    waiting_reply,
    works,
)
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

from tertulia.dates.wording import describe_day

FRIDAY = datetime(2031, 11, 21, tzinfo=UTC).date()


async def tasks_of(person: Person) -> list[Json]:
    return (await person.get("/api/tasks")).json()["tasks"]


async def made(person: Person, path: str, body: Json) -> Json:
    answer = await person.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_task_is_made_once_the_person_has_allowed_it(ada: Person, provider: ScriptedProvider) -> None:
    await live_in(ada)
    call = tool_call(
        "create_task",
        title="Write the report",
        description="All of it",
        priority="high",
        duration_minutes=90,
        start_date=FRIDAY.isoformat(),
    )
    works(provider, call)
    turn = await ada.start("Make a task", models=[WORKER])
    reply = await waiting_reply(ada, turn)
    shown = reply["tool_calls"][0]
    assert "Create the task “Write the report”" in shown["summary"]
    assert describe_day(FRIDAY) in shown["summary"]
    assert "for you alone" in shown["summary"]
    assert await tasks_of(ada) == []

    await decide(ada, reply)
    done = (await ada.finished(turn))["replies"][0]["tool_calls"][0]
    (task,) = await tasks_of(ada)
    expected = ("Write the report", "All of it", "high", 90, FRIDAY.isoformat(), "worker")
    fields = ("title", "description", "priority", "duration_minutes", "start_date", "made_by")
    assert tuple(task[name] for name in fields) == expected
    assert (done["status"], done["written"][0]["id"]) == ("done", task["id"])
    link = {"conversation_id": turn["conversation"]["id"], "message_id": reply["id"], "kind": "created"}
    assert task["links"] == [link]
    assert task["id"] in said_to(provider)
    assert describe_day(FRIDAY).split()[0] in said_to(provider)


async def test_words_on_what_recurs_are_not_read_as_one_day(ada: Person, provider: ScriptedProvider) -> None:
    await live_in(ada)
    call = tool_call("create_task", title="Report", description="", due_date="every Monday")
    reply = await ask_and_allow(ada, provider, call)
    assert "every week on Monday" in reply["tool_calls"][0]["summary"]
    (task,) = await tasks_of(ada)
    assert (task["task_type"], task["rrule"]) == ("recurring", "FREQ=WEEKLY;BYDAY=MO")


async def test_a_title_stands_on_one_line_and_says_something(ada: Person, provider: ScriptedProvider) -> None:
    call = tool_call("create_task", title=" Report\n\nby Monday ", description="")
    reply = await ask_and_allow(ada, provider, call)
    assert "“Report by Monday”" in reply["tool_calls"][0]["summary"]
    (task,) = await tasks_of(ada)
    assert task["title"] == "Report by Monday"
    works(provider, tool_call("update_task", task_id=task["id"], updates={"title": " \n "}))
    (refused,) = (await ada.ask("Do it", models=[WORKER]))["replies"][0]["tool_calls"]
    assert (refused["status"], refused["result"]) == (
        "failed",
        "The title says nothing. Write at least one word.",
    )


async def test_words_are_exact_days_before_the_person_is_asked(
    ada: Person, provider: ScriptedProvider
) -> None:
    await live_in(ada)
    works(provider, tool_call("create_task", title="Call", description="", due_date="tomorrow"))
    reply = await waiting_reply(ada, await ada.start("Make a task", models=[WORKER]))
    tomorrow = datetime.now(ZoneInfo(ZONE)).date() + timedelta(days=1)
    (shown,) = reply["tool_calls"]
    assert json.loads(shown["arguments"])["due_date"] == tomorrow.isoformat()
    assert describe_day(tomorrow) in shown["summary"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"start_date": "when pigs fly"}, "is no day or time"),
        ({"start_date": "2026-02-30"}, "is no day or time"),
        ({"project_id": "prj_gone"}, "no such project"),
        ({"task_type": "recurring"}, "needs a rule"),
        ({"start_date": "2026-12-02", "due_date": "2026-12-01"}, "first day is after the last"),
    ],
)
async def test_what_cannot_be_made_is_told_to_the_model_and_nobody_is_asked(
    ada: Person, provider: ScriptedProvider, arguments: Json, told: str
) -> None:
    works(provider, tool_call("create_task", **({"title": "Call", "description": ""} | arguments)))
    reply = (await ada.ask("Make a task", models=[WORKER]))["replies"][0]
    assert reply["tool_calls"][0]["status"] == "failed"
    assert told in reply["tool_calls"][0]["result"].lower() or told in reply["tool_calls"][0]["result"]
    assert await tasks_of(ada) == []


async def test_a_no_makes_nothing(ada: Person, provider: ScriptedProvider) -> None:
    works(provider, tool_call("create_task", title="Call", description=""))
    turn = await ada.start("Make a task", models=[WORKER])
    await decide(ada, await waiting_reply(ada, turn), approve=False, reason="Not now.")
    reply = (await ada.finished(turn))["replies"][0]
    assert (reply["tool_calls"][0]["status"], reply["tool_calls"][0]["written"]) == ("denied", [])
    assert await tasks_of(ada) == []


async def test_arguments_that_a_person_edits_are_read_again(ada: Person, provider: ScriptedProvider) -> None:
    await live_in(ada)
    works(provider, tool_call("create_task", title="Call", description="", due_date="tomorrow"))
    turn = await ada.start("Make a task", models=[WORKER])
    reply = await waiting_reply(ada, turn)
    path = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][0]['id']}/decision"
    wrong = json.dumps({"title": "Call", "description": "", "due_date": "when pigs fly"})
    refused = await ada.post(path, {"approve": True, "arguments": wrong})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "date_unclear")
    edited = {"title": "Call Bob", "description": "", "due_date": "in two days"}
    decided = await decide(ada, reply, arguments=json.dumps(edited))
    day = datetime.now(ZoneInfo(ZONE)).date() + timedelta(days=2)
    assert json.loads(decided["arguments"])["due_date"] == day.isoformat()
    assert describe_day(day) in decided["summary"]
    await ada.finished(turn)
    (task,) = await tasks_of(ada)
    assert (task["title"], task["due_date"]) == ("Call Bob", day.isoformat())


async def test_a_task_is_changed_by_its_id(ada: Person, provider: ScriptedProvider) -> None:
    await live_in(ada)
    task = await made(ada, "/api/tasks", {"title": "Call", "start_date": "2031-11-20"})
    updates = {"status": "in_progress", "priority": "low", "start_date": FRIDAY.isoformat()}
    call = tool_call("update_task", task_id=task["id"], updates=updates)
    works(provider, call, reply="It is in progress now.")
    turn = await ada.start("Change it", models=[WORKER])
    reply = await waiting_reply(ada, turn)
    summary = reply["tool_calls"][0]["summary"]
    assert summary.startswith("Change the task “Call”: ")
    assert "status: in progress" in summary
    assert describe_day(FRIDAY) in summary
    await decide(ada, reply)
    await ada.finished(turn)
    (changed,) = await tasks_of(ada)
    assert (changed["status"], changed["priority"], changed["start_date"]) == tuple(updates.values())
    assert changed["links"][0]["kind"] == "mentioned"
    history = (await ada.get(f"/api/tasks/{task['id']}/history")).json()
    assert history["changes"][0]["made_by"] == "worker"


async def test_tasks_are_read_with_their_filters(ada: Person, provider: ScriptedProvider) -> None:
    project = await made(ada, "/api/projects", {"name": "Boat"})
    for title, more in (
        ("Sails", {"project_id": project["id"], "due_date": FRIDAY.isoformat(), "priority": "high"}),
        ("Mast", {"project_id": project["id"], "status": "done"}),
        ("Milk", {"due_date": "2031-12-24"}),
    ):
        await made(ada, "/api/tasks", {"title": title} | more)

    async def found(**arguments: Any) -> set[str]:
        text = (await ask_to_read(ada, provider, "get_tasks", **arguments))["full"]
        return {title for title in ("Sails", "Mast", "Milk") if title in text}

    assert await found() == {"Sails", "Mast", "Milk"}
    assert await found(project_id=project["id"]) == {"Sails", "Mast"}
    assert await found(status=["done", "blocked"]) == {"Mast"}
    assert await found(priority=["high"]) == {"Sails"}
    assert await found(due_before=FRIDAY.isoformat()) == {"Sails"}
    assert await found(due_after="2031-11-22") == {"Milk"}
    text = (await ask_to_read(ada, provider, "get_tasks", priority=["high"]))["full"]
    for told in ("Friday", FRIDAY.isoformat(), "Boat", project["id"]):
        assert told in text


async def test_projects_are_found_and_read(ada: Person, provider: ScriptedProvider) -> None:
    boat = await made(ada, "/api/projects", {"name": "Boat", "brief": "It has to float."})
    await made(ada, "/api/projects", {"name": "House"})
    await ada.put(f"/api/projects/{boat['id']}", {"status": "done"})
    await made(ada, f"/api/projects/{boat['id']}/phases", {"name": "Rigging", "end_date": FRIDAY.isoformat()})
    await made(ada, "/api/tasks", {"title": "Sails", "project_id": boat["id"]})

    text = (await ask_to_read(ada, provider, "search_projects", query="boa"))["full"]
    assert boat["id"] in text
    assert "House" not in text
    assert "House" not in (await ask_to_read(ada, provider, "search_projects", status="completed"))["full"]
    text = (await ask_to_read(ada, provider, "get_project_details", project_id=boat["id"]))["full"]
    for told in ("It has to float.", "Rigging", "Friday", "Sails"):
        assert told in text


@pytest.mark.parametrize(
    ("strategy", "brief"),
    [("append", "First.\n\nSecond."), ("replace", "Second."), (None, "First.\n\nSecond.")],
)
async def test_a_project_context_is_written_and_can_be_restored(
    ada: Person, provider: ScriptedProvider, strategy: str | None, brief: str
) -> None:
    project = await made(ada, "/api/projects", {"name": "Boat", "brief": "First."})
    arguments = {"project_id": project["id"], "context_update": "Second."}
    more = {"merge_strategy": strategy} if strategy else {}
    reply = await ask_and_allow(ada, provider, tool_call("update_project_context", **arguments, **more))
    assert "brief of the project “Boat”" in reply["tool_calls"][0]["summary"]
    path = f"/api/projects/{project['id']}"
    assert (await ada.get(path)).json()["brief"] == brief
    (version,) = (await ada.get(f"{path}/brief-versions")).json()["versions"]
    assert (version["brief"], version["made_by"]) == ("First.", "agent:worker")
    restored = await ada.post(f"{path}/brief-versions/{version['id']}/restore")
    assert restored.json()["brief"] == "First."
    versions = (await ada.get(f"{path}/brief-versions")).json()["versions"]
    assert [one["brief"] for one in versions] == [brief, "First."]


async def test_what_was_made_is_known_by_id_in_the_next_round(
    ada: Person, provider: ScriptedProvider
) -> None:
    call = tool_call("create_task", title="Sails", description="", due_date=FRIDAY.isoformat())
    reply = await ask_and_allow(ada, provider, call)
    (task,) = await tasks_of(ada)
    await ada.ask("And now?", conversation_id=reply["conversation_id"], models=[WORKER])
    told = said_to(provider)
    assert f"it created the task {task['id']} “Sails”, due {describe_day(FRIDAY)}" in told


async def test_a_wrong_weekday_is_marked_and_told_in_the_next_round(
    ada: Person, provider: ScriptedProvider
) -> None:
    await live_in(ada)
    call = tool_call("create_task", title="Sails", description="", due_date=FRIDAY.isoformat())
    reply = await ask_and_allow(
        ada, provider, call, reply="Done: “Sails” is set for Thursday, 21 November 2031."
    )
    (task,) = await tasks_of(ada)
    said = "Thursday, 21 November 2031"
    assert reply["corrections"] == [
        {"said": said, "right": describe_day(FRIDAY), "event_id": None, "task_id": task["id"]}
    ]
    closed = await ada.wait_for(reply["turn"], "reply.closed")
    assert closed["reply"]["corrections"] == reply["corrections"]
    await ada.ask("And now?", conversation_id=reply["conversation_id"], models=[WORKER])
    assert f"the right date is {describe_day(FRIDAY)}" in said_to(provider)

    exported = (await ada.post(f"/api/conversations/{reply['conversation_id']}/export")).text
    document = json.loads(exported)
    assert document["rounds"][0]["replies"][0]["corrections"] == [
        {"said": said, "right": describe_day(FRIDAY)}
    ]
    imported = (await ada.post("/api/conversations/import", document)).json()
    opened = (await ada.get(f"/api/conversations/{imported['id']}")).json()
    first = opened["rounds"][0]["replies"][0]
    assert [one["right"] for one in first["corrections"]] == [describe_day(FRIDAY)]
    assert [one["title"] for one in first["tool_calls"][0]["written"]] == ["Sails"]


async def test_two_models_ask_in_one_round_and_both_are_seen(ada: Person, provider: ScriptedProvider) -> None:
    task = await made(ada, "/api/tasks", {"title": "Old"})
    works(provider, tool_call("create_task", title="New", description=""), model="worker")
    call = tool_call("update_task", task_id=task["id"], updates={"status": "done"})
    works(provider, call, model="helper")
    turn = await ada.start("Plan it", models=[WORKER, "openai/helper"])
    replies = [await waiting_reply(ada, turn, number=number) for number in (0, 1)]
    assert [reply["tool_calls"][0]["name"] for reply in replies] == ["create_task", "update_task"]
    for reply in replies:
        await decide(ada, reply)
    await ada.finished(turn)
    assert {(one["title"], one["status"]) for one in await tasks_of(ada)} == {
        ("New", "backlog"),
        ("Old", "done"),
    }


async def test_tools_of_projects_and_tasks_are_there_without_a_project(
    ada: Person, provider: ScriptedProvider
) -> None:
    day = await made(ada, "/api/conversations", {"anchor": {"kind": "workspace"}})
    call = await ask_to_read(ada, provider, "get_tasks", more={"conversation_id": day["id"]})
    assert call["status"] == "done"
    names = said_to(provider)
    assert "read_project_file" not in names
    assert "create_task" in names


async def test_a_shared_conversation_sees_no_task_of_one_person(
    ada: Person, provider: ScriptedProvider
) -> None:
    private = await made(ada, "/api/tasks", {"title": "Secret present"})
    conversation = await made(ada, "/api/conversations", {})
    await ada.put(f"/api/conversations/{conversation['id']}", {"visibility": "workspace"})
    more = {"conversation_id": conversation["id"]}
    assert "Secret" not in (await ask_to_read(ada, provider, "get_tasks", more=more))["full"]
    call = await ask_to_read(
        ada, provider, "update_task", more=more, task_id=private["id"], updates={"status": "done"}
    )
    assert (call["status"], "Secret" in json.dumps(call)) == ("failed", False)


async def test_a_conversation_is_about_a_task(ada: Person, provider: ScriptedProvider, world: World) -> None:
    project = await made(ada, "/api/projects", {"name": "Boat"})
    phase = await made(ada, f"/api/projects/{project['id']}/phases", {"name": "Rigging"})
    body = {"title": "Sails", "phase_id": phase["id"], "due_date": FRIDAY.isoformat(), "description": "White"}
    task = await made(ada, "/api/tasks", body)
    await ada.put(f"/api/tasks/{task['id']}", {"status": "in_progress"})
    anchor = {"anchor": {"kind": "task", "id": task["id"]}}
    conversation = await made(ada, "/api/conversations", anchor)
    assert conversation["project_id"] == project["id"]
    provider.script("worker", Script(reply="Hello."))
    await ada.ask("What is it?", conversation_id=conversation["id"], models=[WORKER])
    told = said_to(provider)
    for words in (
        task["id"],
        "title: Sails",
        "status: in_progress",
        describe_day(FRIDAY),
        "Rigging",
        "history: ",
    ):
        assert words in told
    links = (await ada.get(f"/api/tasks/{task['id']}")).json()["links"]
    assert [(one["conversation_id"], one["kind"]) for one in links] == [(conversation["id"], "about")]

    own = await made(ada, "/api/tasks", {"title": "Own"})
    bob = await world.person(like=ada)
    refused = await bob.post("/api/conversations", {"anchor": {"kind": "task", "id": own["id"]}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
    gone = await ada.post("/api/conversations", {"anchor": {"kind": "task", "id": "tsk_gone"}})
    assert gone.status_code == 404
    assert (await bob.post("/api/conversations", anchor)).status_code == 201


async def test_a_shared_conversation_about_a_task_of_one_person_tells_nothing_of_it(
    ada: Person, provider: ScriptedProvider
) -> None:
    task = await made(ada, "/api/tasks", {"title": "Secret present"})
    conversation = await made(ada, "/api/conversations", {"anchor": {"kind": "task", "id": task["id"]}})
    provider.script("worker", Script(reply="Hello."))
    await ada.ask("What is it?", conversation_id=conversation["id"], models=[WORKER])
    assert "Secret present" in said_to(provider)
    await ada.put(f"/api/conversations/{conversation['id']}", {"visibility": "workspace"})
    await ada.ask("And now?", conversation_id=conversation["id"], models=[WORKER])
    assert "Secret present" not in said_to(provider)
