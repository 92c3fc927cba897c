"""PUT and PATCH change what is sent: of every route, every field alone, and null where that clears it."""

import json
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.files_world import Shelf
from tests.search_world import until
from tests.tool_servers import NOTES
from tests.world import Json, Person, World

API: Json = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text("utf-8"))
#: What changes although nobody asks for it.
VOLATILE = ("updated_at", "changed_at", "version")
#: Fields that hold others.
GROUPS = ("settings", "context", "preferences", "working_hours")
#: Each takes one thing, and sets it.
WHOLE = {
    "PUT /api/conversations/{conversation_id}/title",
    "PUT /api/conversations/{conversation_id}/head",
    "PUT /api/replies/{reply_id}/citations/{number}",
    "PUT /api/projects/{project_id}/files/{file_id}",
    "PUT /api/memory/consent",
    "PUT /api/tasks/{task_id}/schedule",
}
#: Needs a server of calendars: the tests of accounts try its fields.
AT_SERVERS = {"PUT /api/calendar/accounts/{account_id}"}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Leaf = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Something that can be changed: made by `make`, which returns its path; `full` sets every field."""

    make: Callable[[Person], Awaitable[str]]
    full: Json
    #: Fields that null clears.
    cleared: set[Leaf] = field(default_factory=set[Leaf])
    #: Fields that are no state: they ask for something, or cannot be sent alone.
    orders: set[Leaf] = field(default_factory=set[Leaf])


async def made(answer: Any) -> Json:
    came = await answer
    assert came.status_code in (200, 201), came.text
    return came.json()


async def project(ada: Person) -> str:
    return f"/api/projects/{(await made(ada.post('/api/projects', {'name': 'Harbour'})))['id']}"


async def conversation(ada: Person) -> str:
    return f"/api/conversations/{(await made(ada.post('/api/conversations', {})))['id']}"


async def question(ada: Person) -> str:
    turn = await ada.start("Hello")
    return f"/api/messages/{turn['round']['question']['id']}/marks"


async def file(ada: Person) -> str:
    shelf = await Shelf.of(ada)
    return f"{shelf.url}/{(await shelf.write('notes.md', 'Words.'))['id']}/metadata"


async def connection(ada: Person) -> str:
    body = {"slug": "far", "kind": "openai-compatible", "base_url": "https://a.example.org/v1", "key": "k1"}
    return f"/api/connections/{(await made(ada.post('/api/connections', body)))['id']}"


async def preset(ada: Person) -> str:
    body = {"name": "Table", "models": ["openai/a"]}
    return f"/api/presets/{(await made(ada.post('/api/presets', body)))['id']}"


async def server(ada: Person) -> str:
    body = {"slug": "git", "command": "uvx"}
    return f"/api/tool-servers/{(await made(ada.post('/api/tool-servers', body)))['id']}"


async def service(ada: Person) -> str:
    body = {"slug": "notes", "document": json.dumps(NOTES), "base_url": "https://b.example.org"}
    return f"/api/http-tools/{(await made(ada.post('/api/http-tools', body)))['id']}"


async def entity(ada: Person) -> str:
    turn = await ada.start("Write to ada@example.org about it.")
    await ada.finished(turn)
    path = f"/api/conversations/{turn['conversation']['id']}/entities"

    async def found() -> list[Json]:
        return (await made(ada.get(path)))["entities"]

    return f"{path}/{(await until(found))[0]['id']}"


async def memory(ada: Person) -> str:
    made_memory = await made(ada.post("/api/memories", {"type": "fact", "content": "We sail at noon."}))
    return f"/api/memories/{made_memory['id']}"


async def profile(ada: Person) -> str:
    await made(ada.put("/api/memory/consent", {"consented": True}))
    return "/api/memory/profile"


async def task(ada: Person) -> str:
    return f"/api/tasks/{(await made(ada.post('/api/tasks', {'title': 'Paint the hull'})))['id']}"


async def phase(ada: Person) -> str:
    phases = f"{await project(ada)}/phases"
    return f"{phases}/{(await made(ada.post(phases, {'name': 'Dry dock'})))['id']}"


async def calendar(ada: Person) -> str:
    body = {"kind": "builtin", "name": "Crew"}
    return f"/api/calendars/{(await made(ada.post('/api/calendars', body)))['id']}"


async def event(ada: Person) -> str:
    body = {"title": "Launch", "start": "2031-03-10T09:00:00Z"}
    return f"/api/calendar/events/{(await made(ada.post('/api/calendar/events', body)))['id']}"


def at(path: str) -> Callable[[Person], Awaitable[str]]:
    async def known(_ada: Person) -> str:
        return path

    return known


CASES = {
    "PUT /api/projects/{project_id}": Case(
        project,
        {
            "name": "Quay",
            "description": "A",
            "brief": "B",
            "instructions": "C",
            "status": "paused",
            "settings": {
                "default_models": ["openai/a"],
                "context_strategy": "minimal",
                "context_level": "full",
                "max_context_tokens": 5_000,
                "context_tools": "all",
            },
        },
        cleared={("settings", "context_level"), ("settings", "max_context_tokens")},
    ),
    "PUT /api/conversations/{conversation_id}": Case(
        conversation,
        {
            "title": "Tides",
            "archived": True,
            "pinned": True,
            "visibility": "workspace",
            "instructions": "D",
            "context": {"strategy": "balanced", "level": "light", "max_tokens": 4_000, "tools": "all"},
        },
        cleared={("context", name) for name in ("strategy", "level", "max_tokens", "tools")},
        # Only what is temporary can be asked to be so.
        orders={("temporary",)},
    ),
    # What is left out of all prompts is pinned in none.
    "PUT /api/messages/{message_id}/marks": Case(
        question, {"pinned": True, "local_only": True}, orders={("excluded",)}
    ),
    "PATCH /api/retrieval/preferences": Case(
        at("/api/retrieval/preferences"),
        {
            "hybrid": False,
            "chunking": False,
            "structure": False,
            "dense": False,
            "rerank": False,
            "follow_names": False,
            "multi_query": True,
            "hyde": True,
            "token_budget": 700,
            "summary_frequency": 9,
            "rerank_alpha": 0.3,
            "rerank_beta": 0.4,
            "rerank_gamma": 0.2,
            "personal_flags": ["hybrid", "chunking", "token_budget", "summary_frequency"],
            "personal_token_budget_max": 900,
        },
        cleared={("personal_token_budget_max",)},
    ),
    "PATCH /api/retrieval/preferences/personal": Case(
        at("/api/retrieval/preferences/personal"),
        {"hybrid": False, "chunking": False, "token_budget": 600, "summary_frequency": 8},
    ),
    "PATCH /api/projects/{project_id}/files/{file_id}/metadata": Case(
        file,
        {
            "tags": ["a"],
            "always_in_context": True,
            "retrieval_eligible": False,
            "tool_accessible": False,
            "local_only": True,
            "summary": "E",
        },
    ),
    "PUT /api/connections/{connection_id}": Case(
        connection, {"base_url": "https://c.example.org/v1", "key": "sk-canary-of-somebody"}
    ),
    "PUT /api/presets/{preset_id}": Case(
        preset,
        {
            "name": "Round",
            "models": ["openai/a", "openai/b"],
            "merge_model": "openai/c",
            "efforts": ["low", None],
        },
        cleared={("merge_model",)},
    ),
    "PUT /api/tools/{name}": Case(
        at("/api/tools/search_project"), {"enabled": False, "effect": "side"}, cleared={("effect",)}
    ),
    "PUT /api/tool-servers/{server_id}": Case(
        server,
        {
            "command": "npx",
            "arguments": ["-q"],
            "url": "",
            "secrets": {"TOKEN": "sk-canary-of-a-server"},
            "enabled": False,
            "allowed": ["log"],
        },
        orders={("all_allowed",)},
    ),
    "PUT /api/http-tools/{service_id}": Case(
        service,
        {
            "document": json.dumps(NOTES),
            "base_url": "https://d.example.org",
            "auth": "header",
            "auth_name": "X-Key",
            "secret": "sk-canary-of-a-service",
            "enabled": False,
            "allowed": [],
        },
    ),
    "PUT /api/conversations/{conversation_id}/entities/{entity_id}": Case(
        entity, {"type": "organisation", "value": "Harbour office"}
    ),
    "PUT /api/memories/preferences": Case(
        at("/api/memories/preferences"), {"taken_types": ["decision", "fact"], "in_background": True}
    ),
    "PUT /api/reminders/settings": Case(
        at("/api/reminders/settings"),
        {"channels": ["app"], "reminds_of_tasks": False, "task_time": "07:30"},
    ),
    "PUT /api/tasks/{task_id}": Case(
        task,
        {
            "title": "Varnish the deck",
            "description": "K",
            "status": "in_progress",
            "priority": "high",
            "task_type": "recurring",
            "rrule": "FREQ=WEEKLY;BYDAY=MO",
            "duration_minutes": 45,
            "start_date": "2031-03-03",
            "due_date": "2031-03-10",
            "tags": ["boat"],
        },
        cleared={("duration_minutes",)},
        # These need one another, and a project of their own.
        orders={("project_id",), ("phase_id",), ("assignee_id",)},
    ),
    "PUT /api/projects/{project_id}/phases/{phase_id}": Case(
        phase,
        {"name": "Sea trial", "description": "L", "start_date": "2031-03-03", "end_date": "2031-03-10"},
        cleared={("start_date",), ("end_date",)},
    ),
    "PUT /api/calendars/{calendar_id}": Case(
        calendar,
        {"name": "Harbour", "color": "#336699", "is_shown": False, "is_blocking": False},
        # Another one can be made the default, and none cannot.
        orders={("is_default",)},
    ),
    "PUT /api/calendar/events/{event_id}": Case(
        event,
        {
            "title": "Christening",
            "start": "2031-03-11T10:00:00+01:00",
            "end": "2031-03-11T11:30:00+01:00",
            "time_zone": "Europe/Madrid",
            "description": "M",
            "location": "Pier 4",
            "rrule": "FREQ=WEEKLY;COUNT=5",
            "transparent": True,
            "status": "tentative",
            "reminders": [10, 60],
        },
        # A day is no moment, so that this cannot be sent alone.
        orders={("all_day",), ("calendar_id",), ("scope",), ("recurrence_id",), ("revision",)},
    ),
    "PUT /api/calendar/preferences": Case(
        at("/api/calendar/preferences"),
        {
            "time_zone": "Europe/Madrid",
            "working_hours": {day: [{"start": "08:00", "end": "12:30"}] for day in WEEKDAYS},
            "buffer_minutes": 10,
            "preferred_times": ["morning"],
        },
    ),
    "PUT /api/memories/{memory_id}": Case(
        memory,
        {
            "type": "decision",
            "content": "We sail at dawn.",
            "category": "travel",
            "confidence": 0.25,
            "pinned": True,
            "archived": True,
            "local_only": True,
        },
        orders={("project_id",)},
    ),
    "PUT /api/memory/profile": Case(
        profile,
        {
            "preferences": {
                "coding_style": "F",
                "preferred_languages": ["Python"],
                "framework_experience": ["Svelte", "FastAPI"],
            },
            "context": {"project_goals": "G", "domain": "H", "constraints": "I"},
            "freeform_notes": "J",
        },
    ),
    "PATCH /api/members/{user_id}": Case(at(""), {"role": "viewer", "status": "suspended"}),
    "PATCH /api/me": Case(
        at("/api/me"),
        {"name": "Ada", "time_zone": "Europe/Madrid"},
        orders={("password",), ("current_password",)},
    ),
    "PATCH /api/workspace": Case(
        at("/api/workspace"),
        {
            "name": "Coast",
            "settings": {
                "monthly_limit_usd": 5.0,
                "monthly_limit_per_person_usd": 4.0,
                "lanes_per_person": 3,
                "lanes_per_workspace": 6,
                "utility_model": "openai/a",
                "default_models": ["openai/b"],
            },
        },
        cleared={
            ("settings", "monthly_limit_usd"),
            ("settings", "monthly_limit_per_person_usd"),
            ("settings", "lanes_per_person"),
            ("settings", "lanes_per_workspace"),
            ("settings", "utility_model"),
        },
    ),
}


def routes() -> Iterator[tuple[str, Json]]:
    for path, verbs in API["paths"].items():
        for verb in ("put", "patch"):
            if verb in verbs:
                yield f"{verb.upper()} {path}", verbs[verb]


def leaves(schema: Json, place: Leaf = ()) -> Iterator[Leaf]:
    """Yield every field of a body, those of groups too."""
    options = [schema, *schema.get("anyOf", [])]
    named = next((one["$ref"] for one in options if "$ref" in one), "")
    known = API["components"]["schemas"][named.rpartition("/")[2]] if named else schema
    if not known.get("properties"):
        yield place
    for name, inner in known.get("properties", {}).items():
        yield from leaves(inner, (*place, name))


def nested(leaf: Leaf, value: Any) -> Json:
    for name in reversed(leaf):
        value = {name: value}
    return value


def found(body: Any, leaf: Leaf) -> Any:
    for name in leaf:
        body = body[name]
    return body


def lasting(view: Json) -> Json:
    return {name: value for name, value in view.items() if name not in VOLATILE}


def test_every_route_that_changes_something_is_tried_with_every_field() -> None:
    assert {route for route, _ in routes()} == WHOLE | AT_SERVERS | CASES.keys()
    for route, described in routes():
        if case := CASES.get(route):
            [body] = [one["schema"] for one in described["requestBody"]["content"].values()]
            tried = {leaf for leaf in leaves(body) if leaf not in case.orders}
            assert tried == set(leaves_in(case.full)), route


def leaves_in(body: Json, place: Leaf = ()) -> Iterator[Leaf]:
    for name, value in body.items():
        if name in GROUPS:
            yield from leaves_in(value, (*place, name))
        else:
            yield (*place, name)


async def test_what_is_left_out_of_a_change_stays_as_it_is(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)
    changed: dict[str, Any] = {}
    for route, case in CASES.items():
        path = await case.make(ada) or f"/api/members/{bea.principal.user_id}"

        async def send(body: Json, verb: str = route.split()[0], to: str = path) -> Json:
            return lasting(await made(ada.client.request(verb, to, json=body)))

        whole = await send(case.full)
        for leaf in leaves_in(case.full):
            after = await send(nested(leaf, found(case.full, leaf)))
            if after != whole:
                changed[f"{route} {'.'.join(leaf)}"] = (whole, after)
    assert changed == {}


async def test_null_clears_a_field_and_nothing_else(ada: Person) -> None:
    for route, case in CASES.items():
        for leaf in case.cleared:
            path = await case.make(ada)
            verb = route.split()[0]
            whole = lasting(await made(ada.client.request(verb, path, json=case.full)))
            after = lasting(await made(ada.client.request(verb, path, json=nested(leaf, None))))
            *groups, name = leaf
            assert found(after, leaf) != found(whole, leaf), (route, leaf)
            found(after, tuple(groups))[name] = found(whole, leaf)
            assert after == whole, (route, leaf)


def other_value(value: Any) -> Any:
    """Return another value of a switch or a count; of anything else the same."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value


def merged(body: Json, change: Json) -> Json:
    """Return a body with what a change says of it."""
    groups = {name: merged(body[name], change[name]) for name in GROUPS if name in change}
    return body | change | groups


async def test_any_sequence_of_changes_is_their_merge(world: World, ada: Person) -> None:
    """After it, to send all that it comes to changes nothing."""
    dice = random.Random(7)
    bea = await world.person(like=ada)
    for route, case in CASES.items():
        path = await case.make(ada) or f"/api/members/{bea.principal.user_id}"
        verb, fields = route.split()[0], list(leaves_in(case.full))
        body = case.full
        after = await made(ada.client.request(verb, path, json=body))
        for _ in range(12):
            change: Json = {}
            for leaf in dice.sample(fields, dice.randint(1, min(3, len(fields)))):
                values = [found(case.full, leaf), other_value(found(case.full, leaf))]
                values += [None] if leaf in case.cleared else []
                change = merged({name: {} for name in GROUPS} | change, nested(leaf, dice.choice(values)))
            change = {name: value for name, value in change.items() if value != {}}
            body = merged(body, change)
            after = await made(ada.client.request(verb, path, json=change))
        assert lasting(after) == lasting(await made(ada.client.request(verb, path, json=body))), route
