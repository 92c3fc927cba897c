"""Every route, with every id in every place, asked by everyone who should not get it.

`TABLE` says for each route which ids it takes and what each caller gets who
names a thing of Ada's. A route that is not in it fails the first test here.
"""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World, read_events

from tertulia.accounts import sessions
from tertulia.accounts.cookies import SESSION_COOKIE
from tertulia.accounts.domain import ClientInfo, SignInContext
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.reminders import store as reminders
from tertulia.reminders.domain import DueReminder, ReminderKind
from tertulia.server import create_app
from tertulia.settings import Settings
from tertulia.tools import grants

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
#: What nobody but Ada may read.
PRIVATE_TEXT = "the canary sings at midnight"
#: What a request may write even when it is refused: that a credential was used, that an attempt was made.
BOOKKEEPING = {"api_tokens": {"last_used_at"}, "sessions": {"last_seen_at", "expires_at", "sort_key"}}
#: What the index makes of its sources, beside requests.
INDEX = {"chunks", "vectors", "serving_embedder"} | {
    f"chunk_words{part}" for part in ("", "_data", "_idx", "_docsize", "_config")
}
#: When next to look for reminders is written beside requests too.
ASIDE = {"sign_in_attempts", "offered_models", "reminder_plans"} | INDEX


@dataclass(frozen=True, eq=False)
class Attempt:
    """One way to ask for a thing of Ada's; None where the caller may have it.

    `{name}` is a thing of Ada's, `{my_name}` the caller's own, `{shared_name}`
    one of Ada's that the workspace shares, `{personal_name}` one that it does not.
    """

    call: str
    body: Any = None
    stranger: int | None = 404
    member: int | None = 404
    viewer: int | None = 404
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def route(self) -> str:
        return re.sub(r"\{(my|shared|personal)_", "{", self.call.partition("?")[0])


def write(
    call: str, body: Any = None, *, stranger: int | None = 404, member: int | None = 404, viewer: int = 403
) -> Attempt:
    """A change, which no viewer may make."""
    return Attempt(call, body, stranger, member, viewer)


def own(call: str, body: Any = None, *, member: int | None = None, viewer: int | None = None) -> Attempt:
    """A call that names nothing: everyone asks it about themselves, if their role lets them."""
    return Attempt(call, body, None, member, viewer)


def mcp(method: str, **params: Any) -> Json:
    """A request as MCP has them."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def mcp_call(tool: str, **arguments: str) -> Json:
    """The call of a tool over MCP."""
    return mcp("tools/call", name=tool, arguments=arguments)


def answered(body: Json) -> Attempt:
    """A call over MCP that everyone is answered, with nothing of Ada's."""
    return Attempt("POST /mcp", body, stranger=200, member=200, viewer=200)


WORDS = {"message": "Hello", "models": ["scripted-fast"]}
CHAT = {"model": "scripted-fast", "messages": [{"role": "user", "content": "Hello"}]}
QUERY = {"query": "canary sings at midnight"}
#: A web service, in the shortest OpenAPI document that says something.
SERVICE = {
    "slug": "adas-service",
    "document": '{"openapi": "3.1.0", "paths": {"/x": {"get": {"operationId": "look"}}}}',
    "base_url": "https://example.org",
}
#: A browser, which names no push service that is asked.
PUSH_SUBSCRIPTION = {"endpoint": "https://127.0.0.1/push", "keys": {"p256dh": "AAAA", "auth": "AAAA"}}
#: A day on which Ada has an event, and one that anybody may make.
EVENT_DAYS = "start=2026-07-01&end=2026-07-01"
EVENT = {"title": "Mine", "start": "2026-07-01", "end": "2026-07-02"}
#: A question for free time.
SLOTS = {"duration_minutes": 30, "start_date": "2026-07-01", "end_date": "2026-07-01"}
DOCUMENT = object()
FILES = "/api/projects/{project_id}/files"
FILE = f"{FILES}/{{file_id}}"
#: A file of Ada's, named in a project of the caller's.
MY_FILE = FILE.replace("{project_id}", "{my_project_id}")
MCP_PROJECT = "/mcp/projects/{project_id}"
OPEN = {
    "GET /api/setup",
    "POST /api/setup",
    "GET /api/session",
    "POST /api/session",
    "POST /api/links/accept",
    "GET /api/calendar/subscriptions/{token}.ics",
    "GET /health",
    "GET /ready",
}
#: Routes that speak MCP, which our own description of the API leaves out.
MCP_ROUTES = {f"{method} {path}" for method in ("POST", "GET", "DELETE") for path in ("/mcp", MCP_PROJECT)}
TABLE = [
    own("DELETE /api/session"),
    Attempt("POST /api/session/workspace", {"workspace_id": "{workspace_id}"}, member=None, viewer=None),
    own("GET /api/me"),
    own("PATCH /api/me", {"name": "Somebody"}),
    own("GET /api/me/deletion"),
    Attempt("POST /api/me/deletion", {"current_password": "guessed"}, stranger=403, member=403, viewer=403),
    own("GET /api/sessions"),
    Attempt("DELETE /api/sessions/{session_id}"),
    own("POST /api/sessions/revoke-all", {"tokens": True}),
    own("GET /api/tokens"),
    own("POST /api/tokens", {"name": "mine"}),
    Attempt("DELETE /api/tokens/{token_id}"),
    own("GET /api/workspace", member=403, viewer=403),
    own("PATCH /api/workspace", {"name": "Theirs"}, member=403, viewer=403),
    own("GET /api/workspaces"),
    own("POST /api/workspaces", {"name": "Another"}, member=403, viewer=403),
    own("GET /api/audit", member=403, viewer=403),
    own("GET /api/members"),
    write("PATCH /api/members/{user_id}", {"role": "viewer"}, member=403),
    write("PATCH /api/members/{user_id}", {"status": "suspended"}, member=403),
    write("DELETE /api/members/{user_id}", member=403),
    write("DELETE /api/members/{user_id}/account", member=403),
    write("POST /api/members/{user_id}/reset-link", member=403),
    own("GET /api/invitations", member=403, viewer=403),
    own("POST /api/invitations", {"role": "viewer"}, member=403, viewer=403),
    write("DELETE /api/invitations/{invitation_id}", member=403),
    own("GET /api/projects"),
    own("POST /api/projects", {"name": "Mine"}, viewer=403),
    Attempt("GET /api/projects/{project_id}", member=None, viewer=None),
    write("PUT /api/projects/{project_id}", {"name": "Taken"}, member=None),
    write("DELETE /api/projects/{project_id}", member=403),
    Attempt("GET /api/projects/{project_id}/brief-versions", member=None, viewer=None),
    write("POST /api/projects/{project_id}/brief-versions/{version_id}/restore", member=None),
    write("POST /api/projects/{my_project_id}/brief-versions/{version_id}/restore"),
    Attempt("GET /api/projects/{project_id}/conversations", member=None, viewer=None),
    Attempt(f"GET {FILES}", member=None, viewer=None),
    Attempt(f"GET {FILES}?depth=1", member=None, viewer=None),
    write(f"POST {FILES}", {"path": "mine.txt", "content": "x"}, member=None),
    write(f"DELETE {FILES}?prefix=docs", member=None),
    write(f"POST {FILES}/deletion", {"folders": ["docs"]}, member=None),
    write(f"POST {FILES}/deletion", {"file_ids": ["{file_id}"]}, member=None),
    write(f"POST {FILES.replace('{project_id}', '{my_project_id}')}/deletion", {"file_ids": ["{file_id}"]}),
    write("POST /api/deletions/{deletion_id}/restore"),
    Attempt(f"GET {FILES}/at?path=docs/secret.md", member=None, viewer=None),
    write(f"POST {FILES}/move", {"from_prefix": "docs", "to_prefix": "mine"}, member=None),
    Attempt(f"GET {FILE}", member=None, viewer=None),
    Attempt(f"GET {MY_FILE}", viewer=None),
    write(f"PUT {FILE}", {"content": "taken"}, member=None),
    write(f"PUT {MY_FILE}", {"content": "taken"}),
    write(f"DELETE {FILE}", member=None),
    write(f"DELETE {MY_FILE}"),
    write(f"PATCH {FILE}/metadata", {"local_only": True}, member=None),
    write(f"POST {FILE}/move", {"path": "mine.txt"}, member=None),
    write(f"POST {FILE}/put-into-project", {}, member=409),
    Attempt("GET /api/conversations/{conversation_id}/files"),
    write("POST /api/conversations/{conversation_id}/files", {"path": "mine.txt", "content": "mine"}),
    Attempt(f"GET {FILE}/content", member=None, viewer=None),
    Attempt(f"GET {MY_FILE}/content", viewer=None),
    Attempt(f"GET {FILE}/versions", member=None, viewer=None),
    Attempt(f"GET {FILE}/versions/{{number}}", member=None, viewer=None),
    write(f"POST {FILE}/versions/{{number}}/restore", member=None),
    Attempt(f"GET {FILE}/diff?from=1&to=1", member=None, viewer=None),
    Attempt("POST /api/projects/{project_id}/search", QUERY, member=None, viewer=None),
    Attempt("POST /api/projects/{my_project_id}/search", QUERY | {"conversation_id": "{conversation_id}"}),
    own("POST /api/search/global", QUERY),
    Attempt("POST /api/search/global", QUERY | {"conversation_id": "{conversation_id}"}),
    own("GET /api/sandbox"),
    own("POST /api/sandbox/prepare", member=403, viewer=403),
    own("POST /api/sandbox/decline", member=403, viewer=403),
    Attempt("GET /api/projects/{project_id}/tools", member=None, viewer=None),
    write("POST /api/projects/{project_id}/tools/drafts/{file_id}/approve", {"version": 1}, member=None),
    write("POST /api/projects/{project_id}/tools/{name}/test", {"code": "1"}, member=None),
    write("POST /api/projects/{my_project_id}/tools/{name}/test", {}),
    Attempt("GET /api/projects/{project_id}/index", member=None, viewer=None),
    write("POST /api/projects/{project_id}/index", member=None),
    own("GET /api/retrieval/preferences"),
    own("PATCH /api/retrieval/preferences", {"dense": False}, member=403, viewer=403),
    own("PATCH /api/retrieval/preferences/personal", {"hybrid": False}, viewer=403),
    own("POST /api/retrieval/evaluation", {}),
    Attempt("POST /api/retrieval/evaluation", {"project_id": "{project_id}"}, member=None, viewer=None),
    Attempt("GET /api/replies/{reply_id}/citations"),
    write("PUT /api/replies/{reply_id}/citations/{number}", {"good": True}),
    write("DELETE /api/replies/{reply_id}/citations/{number}"),
    own("GET /api/memory/metrics"),
    own("GET /api/memory/debug/retrieval?q=canary"),
    Attempt("GET /api/memory/debug/retrieval?q=canary&projectId={project_id}", member=None, viewer=None),
    Attempt("GET /api/memory/debug/retrieval?q=canary&conversationId={conversation_id}"),
    own("GET /api/memory/debug/stats"),
    own("GET /api/memories"),
    own("GET /api/memories?conversation_id={conversation_id}"),
    own("POST /api/memories", {"type": "fact", "content": "Mine"}, viewer=403),
    write(
        "POST /api/memories", {"type": "fact", "content": "Mine", "project_id": "{project_id}"}, member=None
    ),
    write(
        "POST /api/memories",
        {
            "type": "fact",
            "content": "Mine",
            "evidence": {"message_id": "{message_id}", "quote": PRIVATE_TEXT},
        },
        stranger=422,
        member=422,
    ),
    own("GET /api/memories/preferences"),
    own("PUT /api/memories/preferences", {"in_background": True}, viewer=403),
    Attempt("GET /api/memories/{memory_id}"),
    write("PUT /api/memories/{memory_id}", {"content": "Taken"}),
    write("DELETE /api/memories/{memory_id}"),
    write("POST /api/memories/{memory_id}/undo"),
    write("POST /api/memories/{memory_id}/confirm"),
    write("POST /api/memories/{memory_id}/deletion"),
    write("POST /api/memories/approve", {"ids": ["{memory_id}"]}),
    write("POST /api/memories/reject", {"ids": ["{memory_id}"]}),
    write("POST /api/memories/extract", {"conversation_id": "{conversation_id}"}),
    own("GET /api/reminders"),
    own("POST /api/reminders/dismiss"),
    write("POST /api/reminders/{reminder_id}/dismiss", viewer=404),
    write("POST /api/reminders/{reminder_id}/snooze", {"minutes": 5}, viewer=404),
    own("GET /api/reminders/settings"),
    own("PUT /api/reminders/settings", {"task_time": "08:00"}),
    own("POST /api/reminders/test", {"channel": "app"}),
    own("GET /api/reminders/push/key"),
    own("POST /api/reminders/push", PUSH_SUBSCRIPTION),
    own("DELETE /api/reminders/push", {"endpoint": PUSH_SUBSCRIPTION["endpoint"]}),
    own("GET /api/calendars"),
    own("POST /api/calendars", {"kind": "builtin", "name": "Mine"}, viewer=403),
    Attempt("GET /api/calendars/{calendar_id}"),
    write("PUT /api/calendars/{calendar_id}", {"name": "Taken"}),
    write("DELETE /api/calendars/{calendar_id}"),
    write("POST /api/calendars/{calendar_id}/import", {"ics": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"}),
    Attempt("GET /api/calendars/{calendar_id}/export"),
    write("POST /api/calendars/{calendar_id}/subscription"),
    write("DELETE /api/calendars/{calendar_id}/subscription"),
    own(f"GET /api/calendar/events?{EVENT_DAYS}"),
    Attempt(f"GET /api/calendar/events?{EVENT_DAYS}&calendars={{calendar_id}}"),
    own("POST /api/calendar/events", EVENT, viewer=403),
    write("POST /api/calendar/events", EVENT | {"calendar_id": "{calendar_id}"}),
    write("POST /api/calendar/events", EVENT | {"link": {"conversation_id": "{conversation_id}"}}),
    Attempt("GET /api/calendar/events/{event_id}"),
    Attempt("GET /api/calendar/events/{event_id}?recurrence_id=20260701"),
    write("PUT /api/calendar/events/{event_id}", {"title": "Taken"}),
    write("DELETE /api/calendar/events/{event_id}"),
    own("GET /api/calendar/accounts"),
    write("PUT /api/calendar/accounts/{account_id}", {"name": "Taken"}),
    write("DELETE /api/calendar/accounts/{account_id}"),
    write("POST /api/calendars/{personal_calendar_id}/sync"),
    own("GET /api/calendar/preferences"),
    own("PUT /api/calendar/preferences", {"buffer_minutes": 5}, viewer=403),
    own("POST /api/calendar/slots", SLOTS),
    Attempt("POST /api/calendar/slots", SLOTS | {"calendars": ["{calendar_id}"]}),
    own("POST /api/calendar/replan", {}, viewer=403),
    write("POST /api/calendar/replans/{replan_id}/undo"),
    write("POST /api/tasks/{task_id}/schedule", {}),
    write("POST /api/tasks/{shared_task_id}/schedule", {"calendar_id": "{calendar_id}"}),
    write("PUT /api/tasks/{task_id}/schedule", {"pinned": True}),
    write("DELETE /api/tasks/{task_id}/schedule"),
    own("GET /api/today"),
    own("POST /api/dates/read", {"text": "tomorrow"}),
    own("POST /api/route", {"message": "Hello"}),
    own("GET /api/tasks"),
    own("GET /api/tasks?conversation_id={conversation_id}"),
    own("GET /api/tasks?phase_id={phase_id}"),
    Attempt("GET /api/tasks?after={task_id}"),
    own("POST /api/tasks", {"title": "Mine"}, viewer=403),
    write("POST /api/tasks", {"title": "Mine", "project_id": "{project_id}"}, member=None),
    write("POST /api/tasks", {"title": "Mine", "phase_id": "{phase_id}"}, member=None),
    write("POST /api/tasks", {"title": "Mine", "link": {"conversation_id": "{conversation_id}"}}),
    write(
        "POST /api/tasks",
        {
            "title": "Mine",
            "link": {"conversation_id": "{my_conversation_id}", "message_id": "{message_id}"},
        },
    ),
    write("POST /api/tasks", {"title": "Mine", "assignee_id": "{user_id}"}, member=409),
    Attempt("GET /api/tasks/{task_id}"),
    write("PUT /api/tasks/{task_id}", {"title": "Taken"}),
    write("DELETE /api/tasks/{task_id}"),
    write("POST /api/tasks/{task_id}/move", {"after": None}),
    Attempt("GET /api/tasks/{task_id}/history"),
    write("POST /api/tasks/bulk", {"ids": ["{task_id}"], "change": {"status": "done"}}),
    write("POST /api/tasks/bulk-delete", {"ids": ["{task_id}"]}),
    Attempt("GET /api/tasks/{shared_task_id}", member=None, viewer=None),
    Attempt("GET /api/tasks/{shared_task_id}/history", member=None, viewer=None),
    write("PUT /api/tasks/{shared_task_id}", {"title": "Taken"}, member=None),
    write("PUT /api/tasks/{shared_task_id}", {"project_id": None}, member=409),
    write("POST /api/tasks/{shared_task_id}/move", {"after": "{task_id}"}),
    write("DELETE /api/tasks/{shared_task_id}", member=None),
    Attempt("GET /api/projects/{project_id}/phases", member=None, viewer=None),
    write("POST /api/projects/{project_id}/phases", {"name": "Mine"}, member=None),
    write("PUT /api/projects/{project_id}/phases/{phase_id}", {"name": "Taken"}, member=None),
    write("PUT /api/projects/{my_project_id}/phases/{phase_id}", {"name": "Taken"}),
    write("DELETE /api/projects/{project_id}/phases/{phase_id}", member=None),
    write("DELETE /api/projects/{my_project_id}/phases/{phase_id}"),
    write("POST /api/projects/{project_id}/phases/{phase_id}/move", {"after": None}, member=None),
    own("GET /api/memory/profile"),
    # Ada agreed to having a profile; whoever did not can write none, neither theirs nor hers.
    Attempt("PUT /api/memory/profile", {"freeform_notes": "x"}, stranger=409, member=409, viewer=409),
    own("GET /api/memory/consent"),
    own("PUT /api/memory/consent", {"consented": False}),
    own("GET /api/conversations"),
    own("POST /api/conversations", {"title": "Mine"}, viewer=403),
    write("POST /api/conversations", {"project_id": "{project_id}"}, member=None),
    write("POST /api/conversations", {"anchor": {"kind": "project", "id": "{project_id}"}}, member=None),
    write("POST /api/conversations", {"anchor": {"kind": "task", "id": "{task_id}"}}),
    own("GET /api/conversations/current", viewer=403),
    Attempt("GET /api/conversations/{conversation_id}"),
    write("PUT /api/conversations/{conversation_id}", {"visibility": "workspace"}),
    write("PUT /api/conversations/{conversation_id}", {"archived": True}),
    write("DELETE /api/conversations/{conversation_id}"),
    write("POST /api/conversations/{conversation_id}/deletion"),
    Attempt("GET /api/conversations/{conversation_id}/rounds"),
    Attempt("GET /api/conversations/{conversation_id}/rounds?before={round_id}"),
    Attempt("GET /api/conversations/{my_conversation_id}/rounds?before={round_id}"),
    Attempt("GET /api/conversations/{conversation_id}/messages"),
    Attempt("GET /api/conversations/{conversation_id}/created"),
    Attempt("GET /api/conversations/{conversation_id}/entities"),
    Attempt("GET /api/conversations/{conversation_id}/entities?type=date"),
    write("PUT /api/conversations/{conversation_id}/entities/{entity_id}", {"value": "Taken"}),
    write("PUT /api/conversations/{my_conversation_id}/entities/{entity_id}", {"value": "Taken"}),
    write("DELETE /api/conversations/{conversation_id}/entities/{entity_id}"),
    write("DELETE /api/conversations/{my_conversation_id}/entities/{entity_id}"),
    write("PUT /api/conversations/{conversation_id}/title", {"title": "Taken"}),
    write("PUT /api/conversations/{conversation_id}/head", {"round_id": "{round_id}"}),
    write("PUT /api/conversations/{conversation_id}/head", {"round_id": "{my_round_id}"}),
    write("PUT /api/conversations/{my_conversation_id}/head", {"round_id": "{round_id}"}),
    Attempt("GET /api/conversations/{conversation_id}/events"),
    Attempt("GET /api/conversations/{conversation_id}/events?after=0"),
    own("GET /api/events"),
    Attempt("GET /api/attachments/{attachment_id}"),
    Attempt("POST /api/conversations/{conversation_id}/export"),
    Attempt("POST /api/conversations/{conversation_id}/export", {"format": "markdown"}),
    own("POST /api/conversations/import", DOCUMENT, viewer=403),
    write("POST /api/conversations/import?project_id={project_id}", DOCUMENT, member=None),
    own("GET /api/models"),
    own("GET /api/models/metadata"),
    own("POST /api/models/metadata/refresh", viewer=403),
    own("GET /api/connections"),
    own("POST /api/connections", {"kind": "openai", "slug": "mine", "key": "k"}, member=403, viewer=403),
    own("POST /api/connections", {"kind": "openai", "slug": "mine", "personal": True}, viewer=403),
    write("PUT /api/connections/{connection_id}", {"key": "taken"}),
    write("PUT /api/connections/{shared_connection_id}", {"key": "taken"}, member=403),
    write("DELETE /api/connections/{connection_id}"),
    write("DELETE /api/connections/{shared_connection_id}", member=403),
    write("POST /api/connections/{connection_id}/test"),
    write("POST /api/connections/{shared_connection_id}/test", member=None),
    own("GET /api/presets"),
    own("POST /api/presets", {"name": "Mine", "models": ["scripted-fast"]}, viewer=403),
    write("PUT /api/presets/{preset_id}", {"name": "Taken", "models": ["scripted-fast"]}, member=None),
    write("DELETE /api/presets/{preset_id}", member=None),
    write("POST /api/turn", WORDS | {"conversation_id": "{conversation_id}"}),
    write("POST /api/turn", {"message": "Hello", "conversation_id": "{conversation_id}"}),
    write("POST /api/turn", WORDS | {"project_id": "{project_id}"}, member=None),
    write("POST /api/turn", {"message": "Hello", "project_id": "{project_id}"}, member=None),
    write("POST /api/turn", WORDS | {"parent_id": "{message_id}"}),
    write("POST /api/turn", WORDS | {"conversation_id": "{my_conversation_id}", "parent_id": "{message_id}"}),
    write("POST /api/turn", WORDS | {"conversation_id": "{my_conversation_id}", "parent_id": "{reply_id}"}),
    write("POST /api/turn", {"message": "Hello", "models": ["{personal_model}"]}),
    write("POST /api/conversations/{conversation_id}/rounds", WORDS),
    write("POST /api/conversations/{conversation_id}/rounds", WORDS | {"parent_id": None}),
    write("POST /api/conversations/{my_conversation_id}/rounds", WORDS | {"parent_id": "{reply_id}"}),
    write("POST /api/rounds/{round_id}/edit", WORDS),
    write("POST /api/rounds/{round_id}/stop"),
    write("POST /api/rounds/{round_id}/merge", {"model": "scripted-fast"}),
    write("POST /api/rounds/{round_id}/judge", {"model": "scripted-fast"}),
    write("POST /api/replies/{reply_id}/stop"),
    write("POST /api/replies/{reply_id}/regenerate", {}),
    write("POST /api/replies/{reply_id}/regenerate", {"model": "scripted-smart"}),
    write("POST /api/replies/{reply_id}/continue"),
    write("POST /api/replies/{reply_id}/regenerate", {"leave_out": ["system:introduction"]}),
    write("POST /api/replies/{reply_id}/calls/{call_id}/decision", {"approve": True}),
    Attempt("GET /api/replies/{reply_id}/calls/{call_id}/result"),
    write("POST /api/replies/{reply_id}/steer", {"text": "Hurry"}),
    write("POST /api/rounds/{round_id}/steer", {"text": "Hurry"}),
    own("GET /api/tool-grants"),
    write("DELETE /api/tool-grants/{grant_id}"),
    Attempt("GET /api/replies/{reply_id}/receipt"),
    Attempt("GET /api/replies/{reply_id}/receipt?texts=true"),
    Attempt("GET /api/conversations/{conversation_id}/context"),
    Attempt("GET /api/conversations/{conversation_id}/context?question=Hello&models=scripted-fast"),
    Attempt("GET /api/conversations/{my_conversation_id}/context?models={personal_model}"),
    own("POST /api/context/preview", WORDS, viewer=403),
    write("POST /api/context/preview", WORDS | {"conversation_id": "{conversation_id}"}),
    write("POST /api/context/preview", {"message": "Hello", "conversation_id": "{conversation_id}"}),
    write("POST /api/context/preview", WORDS | {"project_id": "{project_id}"}, member=None),
    write("POST /api/context/preview", WORDS | {"parent_id": "{reply_id}"}),
    write(
        "POST /api/context/preview",
        WORDS | {"conversation_id": "{my_conversation_id}", "parent_id": "{message_id}"},
    ),
    write("POST /api/context/preview", {"message": "Hello", "models": ["{personal_model}"]}),
    Attempt("GET /api/conversations/{conversation_id}/summary"),
    write("POST /api/conversations/{conversation_id}/summary"),
    write("POST /api/conversations/{conversation_id}/compression"),
    write("DELETE /api/conversations/{conversation_id}/compression"),
    write("PUT /api/messages/{message_id}/marks", {"pinned": True}),
    write("PUT /api/messages/{message_id}/marks", {"local_only": True, "excluded": True}),
    own("GET /api/tools"),
    own("PUT /api/tools/{name}", {"enabled": False}, member=403, viewer=403),
    own("GET /api/tool-servers"),
    own("POST /api/tool-servers", {"slug": "mine", "command": "true"}, member=403, viewer=403),
    write("PUT /api/tool-servers/{server_id}", {"enabled": False}, member=403),
    write("PUT /api/tool-servers/{server_id}", {"secrets": {"TOKEN": "taken"}}, member=403),
    write("DELETE /api/tool-servers/{server_id}", member=403),
    write("POST /api/tool-servers/{server_id}/check", member=403),
    own("GET /api/http-tools"),
    own("POST /api/http-tools", {"slug": "mine", "document": "none"}, member=403, viewer=403),
    write("PUT /api/http-tools/{service_id}", {"enabled": False}, member=403),
    write("PUT /api/http-tools/{service_id}", {"base_url": "https://example.org"}, member=403),
    write("DELETE /api/http-tools/{service_id}", member=403),
    own("GET /v1/models"),
    own("GET /v1/models/{model}"),
    Attempt("GET /v1/models/{personal_model}"),
    write("POST /v1/chat/completions", CHAT | {"model": "{personal_model}"}),
    replace(
        write("POST /v1/chat/completions", CHAT, member=None),
        headers={"X-Tertulia-Project": "{project_id}"},
    ),
    own("POST /mcp", mcp("tools/list")),
    # What goes wrong in a call is told in the answer; nothing private may be in it.
    answered(mcp_call("read_conversation", conversation_id="{conversation_id}")),
    answered(mcp_call("read_conversation", conversation_id="{my_conversation_id}", before="{round_id}")),
    answered(mcp_call("list_conversations", project_id="{project_id}")),
    Attempt(f"POST {MCP_PROJECT}", mcp("tools/list"), member=None, viewer=None),
    Attempt(f"POST {MCP_PROJECT}", mcp_call("list_conversations"), member=200, viewer=200),
    Attempt("GET /mcp", stranger=405, member=405, viewer=405),
    Attempt("DELETE /mcp", stranger=405, member=405, viewer=405),
    Attempt(f"GET {MCP_PROJECT}", member=405, viewer=405),
    Attempt(f"DELETE {MCP_PROJECT}", member=405, viewer=405),
]


@dataclass
class Ground:
    """A world in which Ada has one of everything, and others want it."""

    world: World
    ada: Person
    things: dict[str, str]
    document: Json

    async def caller(self, like: Person) -> httpx2.AsyncClient:
        """Return the browser of a person: sessions meet the same policy as tokens, and can switch too."""
        how = SignInContext(ClientInfo("127.0.0.1"), timedelta(days=1))

        def open_session(tx: Tx) -> str:
            place = sessions.choose_membership(tx, like.principal.user_id)
            return sessions.open_session(tx, like.principal.user_id, place, context=how).secret

        secret = await self.world.db.write(open_session, by=None)
        return httpx2.AsyncClient(
            base_url=self.world.url,
            headers={"cookie": f"{SESSION_COOKIE}={secret}"},
            trust_env=False,
            timeout=10,
        )

    async def send(
        self, client: httpx2.AsyncClient, attempt: Attempt, things: dict[str, str]
    ) -> httpx2.Response:
        method, _, path = attempt.call.partition(" ")
        body = self.document if attempt.body is DOCUMENT else filled(attempt.body, things)
        headers = filled(attempt.headers, things)
        async with client.stream(method, path.format(**things), json=body, headers=headers) as answer:
            if answer.status_code < 400 and "event-stream" in answer.headers.get("content-type", ""):
                return answer
            await answer.aread()
            return answer

    async def wrongs(
        self, client: httpx2.AsyncClient, expected: dict[Attempt, int], things: dict[str, str] | None = None
    ) -> list[str]:
        """Make attempts and return what they wrongly got or changed."""
        found: list[str] = []
        await self.rest()
        before = await self.digest()
        for attempt, status in expected.items():
            answer = await self.send(client, attempt, things or self.things)
            if answer.status_code != status:
                found.append(f"{attempt.call} {attempt.body}: {answer.status_code} {answer.text[:200]}")
            elif PRIVATE_TEXT in answer.text:
                found.append(f"{attempt.call}: showed what is private")
            if (after := await self.digest()) != before:
                changed = [table for table, rows in after.items() if rows != before[table]]
                found.append(f"{attempt.call} {attempt.body}: changed {changed}")
                before = after
        return found

    async def rest(self) -> None:
        """Wait until titles are given, all is indexed and figures are kept: all change what is stored."""
        await self.world.server.parts.search.search.write_metrics()
        waiting = """SELECT (SELECT count(*) FROM jobs WHERE kind IN ('title', 'context'))
            + (SELECT count(*) FROM sources WHERE state = 'waiting')"""
        for _ in range(2_000):
            if not await self.world.db.read(lambda tx: tx.value(waiting), by=None):
                return
            await asyncio.sleep(0.01)
        raise AssertionError("the server does not come to rest")

    async def digest(self) -> dict[str, list[str]]:
        """Return every row of every table, but for the bookkeeping."""
        return await self.world.db.read(all_rows, by=None)


def all_rows(tx: Tx) -> dict[str, list[str]]:
    """Return every row as text, by table."""
    columns_of: dict[str, list[str]] = {}
    for table, column in tx.rows("SELECT table_name, column_name FROM table_columns ORDER BY place"):
        if table not in ASIDE and column not in BOOKKEEPING.get(table, set()):
            columns_of.setdefault(table, []).append(f'"{column}"')
    return {
        table: sorted(map(repr, tx.rows(f"SELECT {', '.join(columns)} FROM {table}")))
        for table, columns in columns_of.items()
    }


def filled(body: Any, things: dict[str, str]) -> Any:
    """Return a body with the names of things replaced by their ids."""
    if isinstance(body, dict):
        return {name: filled(value, things) for name, value in body.items()}
    if isinstance(body, list):
        return [filled(value, things) for value in body]
    return body.format(**things) if isinstance(body, str) else body


async def made(person: Person, path: str, body: Json) -> Json:
    answer = await person.post(path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def conversation_of(person: Person, **more: Any) -> dict[str, str]:
    """Have a person ask something, and return the ids of all that came of it."""
    turn = await person.start(PRIVATE_TEXT, images=[{"data": PICTURE}], **more)
    round_ = await person.finished(turn)
    await person.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": PRIVATE_TEXT})
    return {
        "conversation_id": turn["conversation"]["id"],
        "round_id": round_["id"],
        "message_id": round_["question"]["id"],
        "reply_id": round_["replies"][0]["id"],
        "attachment_id": round_["question"]["attachments"][0]["id"],
        "project_id": turn["conversation"]["project_id"],
        "entity_id": await entity_of(person, turn["conversation"]["id"]),
    }


async def entity_of(person: Person, conversation_id: str) -> str:
    """Wait until what a person said was looked through, and return the id of what it mentions."""
    while True:
        found = (await person.get(f"/api/conversations/{conversation_id}/entities")).json()["entities"]
        if found:
            return found[0]["id"]
        await asyncio.sleep(0.01)


async def everything_of(person: Person, url: str) -> dict[str, str]:
    """Have a person make one of everything, and return the ids."""
    project = await made(person, "/api/projects", {"name": "Secret project", "brief": "First."})
    server = {"kind": "openai-compatible", "base_url": url, "key": "sk-of-adas-own"}
    personal = await made(person, "/api/connections", server | {"slug": "adas", "personal": True})
    shared = await made(person, "/api/connections", server | {"slug": "ours"})
    preset = await made(person, "/api/presets", {"name": "All", "models": ["scripted-fast"]})
    token = await made(person, "/api/tokens", {"name": "spare"})
    invitation = await made(person, "/api/invitations", {"role": "member"})
    secret = {"path": "docs/secret.md", "content": "Only for this workspace."}
    sent = await made(person, f"/api/projects/{project['id']}/files", secret)
    await made(
        person,
        f"/api/projects/{project['id']}/files",
        {"path": "tools/list_project_files", "content": "x = 1"},
    )
    tool_server = await made(person, "/api/tool-servers", {"slug": "adas-tools", "command": "true"})
    service = await made(person, "/api/http-tools", SERVICE)
    profile_id = await profile_of(person)
    memory = await made(person, "/api/memories", {"type": "fact", "content": PRIVATE_TEXT})
    task = await made(person, "/api/tasks", {"title": PRIVATE_TEXT})
    phase = await made(person, f"/api/projects/{project['id']}/phases", {"name": "Roof"})
    shared_task = await made(person, "/api/tasks", {"title": "Tile", "phase_id": phase["id"]})
    event = await made(person, "/api/calendar/events", EVENT | {"title": PRIVATE_TEXT})
    replan_id = await replan_of(person)
    return await conversation_of(person, project_id=project["id"]) | {
        "project_id": project["id"],
        "connection_id": personal["id"],
        "personal_model": "adas/scripted-fast",
        "model": "scripted-fast",
        "shared_connection_id": shared["id"],
        "preset_id": preset["id"],
        "token_id": token["id"],
        "invitation_id": invitation["id"],
        "user_id": person.principal.user_id,
        "workspace_id": person.principal.workspace_id,
        "file_id": sent["files"][0]["id"],
        "number": "1",
        "call_id": "call_1",
        "name": "list_project_files",
        "server_id": tool_server["id"],
        "service_id": service["id"],
        "profile_id": profile_id,
        "memory_id": memory["id"],
        "task_id": task["id"],
        "event_id": event["id"],
        "calendar_id": event["calendar_id"],
        "replan_id": replan_id,
        "shared_task_id": shared_task["id"],
        "phase_id": phase["id"],
        "version_id": await brief_version_of(person, project["id"]),
    }


async def replan_of(person: Person) -> str:
    """Have a person plan again because an event took the time of a task."""
    task = await made(person, "/api/tasks", {"title": PRIVATE_TEXT})
    start = (now() + timedelta(days=2)).replace(microsecond=0)
    times = {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat()}
    scheduled = await person.post(f"/api/tasks/{task['id']}/schedule", {"start": times["start"]})
    assert scheduled.status_code == 200
    await made(person, "/api/calendar/events", {"title": PRIVATE_TEXT, **times})
    return (await person.post("/api/calendar/replan", {})).json()["id"]


async def brief_version_of(person: Person, project_id: str) -> str:
    """Have a person write another brief, and return the id of the one before."""
    assert (await person.put(f"/api/projects/{project_id}", {"brief": "Second."})).status_code == 200
    found = (await person.get(f"/api/projects/{project_id}/brief-versions")).json()
    return found["versions"][0]["id"]


async def profile_of(person: Person) -> str:
    """Have a person write something private about themselves."""
    assert (await person.put("/api/memory/consent", {"consented": True})).status_code == 200
    written = await person.put("/api/memory/profile", {"freeform_notes": PRIVATE_TEXT})
    assert written.status_code == 200, written.text
    return written.json()["id"]


async def deletion_of(person: Person, world: World) -> str:
    """Have a person delete a conversation, and keep that from becoming final meanwhile."""
    gone = (await conversation_of(person))["conversation_id"]
    deletion = await made(person, f"/api/conversations/{gone}/deletion", {})

    def keep(tx: Tx) -> None:
        tx.run(
            "UPDATE jobs SET run_at = run_at + 3600000, wait_ms = wait_ms + 3600000 WHERE kind = 'deletion'"
        )
        tx.run(
            """UPDATE pending_deletions SET restore_until_uptime = restore_until_uptime + 3600000,
               window_ms = window_ms + 3600000"""
        )

    await world.db.write(keep, by=None)
    return deletion["id"]


async def reminder_of(person: Person, world: World, task_id: str) -> str:
    """Have a person be reminded of a task that was due this moment."""
    due_at = now()
    due = DueReminder(ReminderKind.TASK, task_id, due_at.date().isoformat(), due_at, due_at)
    reminder_id = await world.db.write(lambda tx: reminders.add(tx, due, is_late=False), by=person.principal)
    assert reminder_id is not None
    return reminder_id


async def calendar_account_of(person: Person, world: World) -> dict[str, str]:
    """Have a person keep a calendar at a server, which nobody asks."""
    ids = {"account_id": "cac_of_ada", "personal_calendar_id": "cal_of_ada"}

    def write_account(tx: Tx) -> None:
        values = {
            "account": ids["account_id"],
            "calendar": ids["personal_calendar_id"],
            "text": PRIVATE_TEXT,
        }
        tx.run(
            """INSERT INTO calendar_accounts (id, workspace_id, user_id, name, url, username, auth,
                 sealed_secret, created_at, changed_at)
               VALUES (:account, :workspace, :me, :text, 'https://example.org/', 'ada', 'basic', '', 0, 0)""",
            **values,
        )
        tx.run(
            """INSERT INTO calendars (id, workspace_id, owner_id, account_id, kind, name, created_at,
                 changed_at)
               VALUES (:calendar, :workspace, :me, :account, 'caldav', :text, 0, 0)""",
            **values,
        )

    await world.db.write(write_account, by=person.principal)
    return ids


@pytest.fixture
async def ground(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Ground]:
    async with World.open(tmp_path / "data", provider=provider) as world:
        ada = await world.person(role="owner")
        things = await everything_of(ada, provider.openai_url)
        document = (await ada.post(f"/api/conversations/{things['conversation_id']}/export")).json()
        await world.db.write(lambda tx: grants.add(tx, "write_project_file", None), by=ada.principal)
        things |= await calendar_account_of(ada, world)
        things["grant_id"] = (await ada.get("/api/tool-grants")).json()["grants"][0]["id"]
        things["deletion_id"] = await deletion_of(ada, world)
        things["reminder_id"] = await reminder_of(ada, world, things["task_id"])
        ground = Ground(world, ada, things, document)
        browser = await ground.caller(ada)
        listed = (await browser.get("/api/sessions")).json()["items"]
        things["session_id"] = listed[0]["id"]
        things |= {f"my_{name}": id_ for name, id_ in things.items()}
        try:
            yield ground
        finally:
            await browser.aclose()


def test_the_table_lists_every_route_and_no_other() -> None:
    paths = create_app(Settings(data_dir=Path("unused"))).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}

    listed = OPEN | {attempt.route for attempt in TABLE}
    assert routes - listed == set()
    assert listed - routes == MCP_ROUTES


async def test_nobody_gets_anything_without_a_credential(ground: Ground) -> None:
    async with httpx2.AsyncClient(base_url=ground.world.url, trust_env=False) as nobody:
        assert await ground.wrongs(nobody, dict.fromkeys(TABLE, 401)) == []


async def test_a_suspended_member_gets_nothing_whatever_their_role_was(ground: Ground) -> None:
    sam = await ground.world.person(role="admin", like=ground.ada)
    async with await ground.caller(sam) as client:
        suspended = await ground.ada.client.patch(
            f"/api/members/{sam.principal.user_id}", json={"status": "suspended"}
        )
        assert suspended.status_code == 200
        assert await ground.wrongs(client, dict.fromkeys(TABLE, 403)) == []


async def test_the_owner_of_another_workspace_gets_nothing(ground: Ground) -> None:
    eve = await ground.world.person(role="owner")
    things = ground.things | {f"my_{name}": id_ for name, id_ in (await conversation_of(eve)).items()}
    expected = {attempt: attempt.stranger for attempt in TABLE if attempt.stranger is not None}
    async with await ground.caller(eve) as client:
        assert await ground.wrongs(client, expected, things) == []


async def test_another_member_gets_nothing_private(ground: Ground) -> None:
    bob = await ground.world.person(like=ground.ada)
    things = ground.things | {f"my_{name}": id_ for name, id_ in (await conversation_of(bob)).items()}
    expected = {attempt: attempt.member for attempt in TABLE if attempt.member is not None}
    async with await ground.caller(bob) as client:
        assert await ground.wrongs(client, expected, things) == []


async def test_a_viewer_gets_nothing_private_and_changes_nothing_shared(ground: Ground) -> None:
    vic = await ground.world.person(role="viewer", like=ground.ada)
    expected = {attempt: attempt.viewer for attempt in TABLE if attempt.viewer is not None}
    async with await ground.caller(vic) as client:
        assert await ground.wrongs(client, expected) == []
        shared = await ground.ada.put(
            f"/api/conversations/{ground.things['conversation_id']}", {"visibility": "workspace"}
        )
        assert shared.status_code == 200
        writes = {attempt: status for attempt, status in expected.items() if status == 403}
        assert await ground.wrongs(client, writes) == []


async def test_another_member_manages_nothing_that_is_merely_shared(ground: Ground) -> None:
    path = f"/api/conversations/{ground.things['conversation_id']}"
    bob = await ground.world.person(like=ground.ada)
    assert (await ground.ada.put(path, {"visibility": "workspace"})).status_code == 200
    assert (await bob.get(path)).status_code == 200

    managing = [
        Attempt("PUT /api/conversations/{conversation_id}", {"visibility": "private"}),
        Attempt("PUT /api/conversations/{conversation_id}/title", {"title": "Taken"}),
        Attempt("DELETE /api/conversations/{conversation_id}"),
        Attempt("DELETE /api/projects/{project_id}"),
    ]
    assert await ground.wrongs(bob.client, dict.fromkeys(managing, 403)) == []


async def test_no_error_says_whether_a_foreign_id_exists(ground: Ground) -> None:
    eve = await ground.world.person(role="owner")
    own_things = {f"my_{name}": id_ for name, id_ in (await conversation_of(eve)).items()}
    real = ground.things | own_things
    invented = {name: made_up(id_) for name, id_ in ground.things.items()} | own_things
    differing = []
    for attempt in TABLE:
        if attempt.stranger is not None:
            ours = await ground.send(eve.client, attempt, real)
            nobodys = await ground.send(eve.client, attempt, invented)
            if (ours.status_code, unnamed(ours, real)) != (nobodys.status_code, unnamed(nobodys, invented)):
                differing.append((attempt.call, ours.text, nobodys.text))
    assert differing == []


def made_up(id_: str) -> str:
    """Return an id of the same kind that nothing has."""
    return new_id(id_.partition("_")[0]) if "_" in id_ else id_.replace("adas", "nobodys")


def unnamed(answer: httpx2.Response, things: dict[str, str]) -> str:
    """Return the body of an answer without the names that its sender gave."""
    text = answer.text
    for id_ in things.values():
        text = text.replace(id_, "…")
    return text


async def test_no_list_shows_what_is_not_the_callers(ground: Ground) -> None:
    private = ("conversation_id", "round_id", "reply_id", "attachment_id", "connection_id", "token_id")
    private = (*private, "profile_id", "memory_id", "task_id", "reminder_id", "event_id", "calendar_id")
    private = (*private, "account_id", "personal_calendar_id")
    inside = (*private, "session_id", "project_id", "shared_connection_id", "preset_id", "invitation_id")
    inside = (*inside, "server_id", "service_id", "phase_id", "shared_task_id")
    lists = [attempt.call.removeprefix("GET ") for attempt in TABLE if attempt.route.startswith("GET ")]
    bob, eve = await ground.world.person(like=ground.ada), await ground.world.person(role="owner")
    for person, names in ((bob, private), (eve, (*inside, "user_id", "workspace_id"))):
        for path in lists:
            if "{" in path or path in ("/api/events", "/mcp"):
                continue
            shown = (await person.get(path)).text
            assert PRIVATE_TEXT not in shown, path
            assert [name for name in names if ground.things[name] in shown] == [], path


async def test_a_feed_tells_only_of_ones_own_conversations(ground: Ground) -> None:
    bob = await ground.world.person(like=ground.ada)
    await bob.post("/api/conversations", {"title": "Bob's"})
    async with bob.client.stream("GET", "/api/events?after=0") as stream:
        await ground.ada.put(
            f"/api/conversations/{ground.things['conversation_id']}/title", {"title": "Ada's"}
        )
        await bob.post("/api/conversations", {"title": "Also Bob's"})
        heard = []
        async for event in read_events(stream):
            heard.append(event["conversation"]["title"])
            if len(heard) == 2:
                break
    assert heard == ["Bob's", "Also Bob's"]


@pytest.mark.parametrize("stream_path", ["/api/conversations/{}/events", "/api/events?conversation={}"])
async def test_a_stream_ends_before_what_is_said_after_it_was_no_longer_shared(
    ground: Ground, stream_path: str
) -> None:
    bob = await ground.world.person(like=ground.ada)
    conversation_id = ground.things["conversation_id"]
    path = f"/api/conversations/{conversation_id}"
    await ground.ada.put(path, {"visibility": "workspace"})
    async with bob.client.stream("GET", stream_path.format(conversation_id)) as stream:
        assert stream.status_code == 200
        await ground.ada.put(path, {"visibility": "private"})
        await ground.ada.start("The safe opens with gannet-4411", conversation_id=conversation_id)
        assert "gannet-4411" not in "".join([line async for line in stream.aiter_lines()])
    assert (await bob.get(stream_path.format(conversation_id))).status_code == 404


@pytest.mark.parametrize("change", [{"status": "suspended"}, {"role": "viewer"}, None])
async def test_a_stream_ends_before_what_is_said_after_its_reader_lost_access(
    ground: Ground, change: dict[str, str] | None
) -> None:
    bob = await ground.world.person(like=ground.ada)
    conversation_id, member = ground.things["conversation_id"], f"/api/members/{bob.principal.user_id}"
    await ground.ada.put(f"/api/conversations/{conversation_id}", {"visibility": "workspace"})
    async with bob.client.stream("GET", f"/api/conversations/{conversation_id}/events") as stream:
        assert stream.status_code == 200
        response = await (
            ground.ada.client.patch(member, json=change) if change else ground.ada.delete(member)
        )
        assert response.is_success
        await ground.ada.start("The safe opens with gannet-4411", conversation_id=conversation_id)
        assert "gannet-4411" not in "".join([line async for line in stream.aiter_lines()])


async def test_the_idempotency_key_of_another_opens_a_round_of_ones_own(ground: Ground) -> None:
    bob = await ground.world.person(like=ground.ada)
    headers = {"Idempotency-Key": "the-same"}
    first = await ground.ada.post("/api/turn", WORDS, headers=headers)
    second = await bob.post("/api/turn", WORDS, headers=headers)

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["round"]["id"] != second.json()["round"]["id"]
    assert second.json()["conversation"]["owner_id"] == bob.principal.user_id


async def test_a_program_goes_on_with_no_conversation_but_its_owners(ground: Ground) -> None:
    bob = await ground.world.person(like=ground.ada)
    first = await ground.ada.post("/v1/chat/completions", CHAT)
    said = first.json()["choices"][0]["message"]
    going_on = CHAT | {"messages": [*CHAT["messages"], said, {"role": "user", "content": "And now?"}]}
    theirs = await ground.ada.post("/v1/chat/completions", going_on)
    his = await bob.post("/v1/chat/completions", going_on)

    place = "X-Tertulia-Conversation"
    assert theirs.headers[place] == first.headers[place]
    assert his.status_code == 200
    assert his.headers[place] != first.headers[place]
    assert (await ground.ada.get(f"/api/conversations/{his.headers[place]}")).status_code == 404
