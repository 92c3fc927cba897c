"""What is said to whoever sends something that cannot be taken."""

import re
from typing import Any

import pytest
from tests.world import Person, World

from tertulia.context.domain import PastReply
from tertulia.context.plan_items import speaker_label
from tertulia.conversations.domain import ReplyKind
from tertulia.turns.errors import TooManyReplies

#: Words that only the authors of a validator would use.
JARGON = re.compile(
    r"validation|should|[Ii]nput|Value error|Field required|dictionary|valid (string|list|integer)"
)


@pytest.mark.parametrize(
    ("path", "body", "field", "most"),
    [
        ("/api/turn", {"message": "x" * 1_000_001}, "message", "1,000,000"),
        ("/api/projects", {"name": "x" * 201}, "name", "200"),
    ],
)
async def test_a_text_that_is_too_long_is_refused_in_a_sentence_for_people(
    ada: Person, path: str, body: dict[str, str], field: str, most: str
) -> None:
    answer = await ada.client.post(path, json=body)
    said = answer.json()["error"]
    assert (answer.status_code, said["code"], said["param"]) == (422, "invalid_request", field)
    assert said["message"] == f"The {field} is too long: it may have at most {most} characters."


async def test_the_path_of_a_file_that_is_too_long_is_refused_too(ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    answer = await ada.client.post(f"/api/projects/{project}/files", json={"path": "x" * 5000, "content": ""})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "path")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": ""},
        {"message": 7},
        {"message": "Hi", "models": "gpt"},
        {"message": "Hi", "models": [""]},
        {"message": "Hi", "models": [{"model": "m", "temperature": 3}]},
        {"message": "Hi", "models": [{"model": "m", "temperature": "hot"}]},
        {"message": "Hi", "models": [{"model": "m", "output_limit": 0}]},
        {"message": "Hi", "models": [{"model": "m", "output_limit": 1.5}]},
        {"message": "Hi", "models": [{"model": "m", "effort": "huge"}]},
        {"message": "Hi", "policy": "nobody"},
        {"message": "Hi", "images": [{}] * 9},
        {"message": "Hi", "colour": "red"},
        [],
        "Hi",
    ],
)
async def test_what_is_wrong_with_a_body_is_said_in_plain_words(ada: Person, body: Any) -> None:
    answer = await ada.client.post("/api/turn", json=body)
    said = answer.json()["error"]["message"]
    assert answer.status_code == 422
    assert said.endswith(".")
    assert not JARGON.search(said), said
    assert "Guest" not in answer.text
    assert body != {"message": ""} or said == "message: must not be empty."


async def test_a_list_that_needs_an_item_says_so(ada: Person) -> None:
    answer = await ada.client.post("/api/presets", json={"name": "Three", "models": []})
    assert "needs at least 1 item" in answer.json()["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/nonesuch", "/v1/nonesuch", "/api/conversations/x/nonesuch"])
async def test_where_nothing_is_no_verb_is_the_wrong_one(ada: Person, method: str, path: str) -> None:
    answer = await ada.client.request(method, path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "There is nothing at this address."


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/turn", "POST"),
        ("PUT", "/api/turn", "POST"),
        ("DELETE", "/api/projects", "GET, POST"),
        ("PATCH", "/api/conversations/cnv_1", "GET, PUT, DELETE"),
    ],
)
async def test_a_wrong_verb_is_told_the_right_ones(ada: Person, method: str, path: str, allowed: str) -> None:
    answer = await ada.client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    for verb in answer.headers["allow"].split(", "):
        assert verb in answer.json()["error"]["message"]


async def test_a_parameter_that_is_not_taken_is_refused(ada: Person) -> None:
    answer = await ada.client.get("/api/conversations", params={"offset": 20})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "parameter_unknown"
    assert "'offset'" in answer.json()["error"]["message"]
    assert "after" in answer.json()["error"]["message"]
    inside = await ada.client.get("/api/projects/prj_1/files", params={"offset": 20})
    assert "project_id" not in inside.json()["error"]["message"]


async def test_an_id_is_the_same_in_either_case(ada: Person, world: World) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    made = await ada.post("/api/conversations", {"anchor": {"kind": "project", "id": project.lower()}})
    conversation = made.json()["id"]
    assert made.json()["project_id"] == project
    opened = await ada.client.get(f"/api/conversations/{conversation.lower()}")
    assert opened.json()["conversation"]["id"] == conversation
    looked = {"query": "Hi", "conversation_id": conversation.lower()}
    assert (await ada.client.post(f"/api/projects/{project}/search", json=looked)).status_code == 200
    sent = {"message": "Hi", "conversation_id": conversation.lower(), "models": ["scripted-fast"]}
    assert (await ada.client.post("/api/turn", json=sent)).json()["conversation"]["id"] == conversation


async def test_a_task_that_does_not_exist_is_no_anchor(ada: Person) -> None:
    answer = await ada.client.post("/api/conversations", json={"anchor": {"kind": "task", "id": "tsk_1"}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_any_number_of_models_up_to_the_setting_sit_at_the_table(ada: Person, world: World) -> None:
    many = {"message": "Hi", "models": ["scripted-fast"] * 12}
    asked = await ada.client.post("/api/turn", json=many)
    assert (asked.status_code, len(asked.json()["round"]["replies"])) == (202, 12)
    refused = await ada.client.post("/api/turn", json=many | {"models": ["scripted-fast"] * 65})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "too_many_models")
    assert refused.json()["error"]["message"] == "One round asks at most 64 models here, and 65 were named."


def test_a_limit_of_one_is_said_in_the_singular() -> None:
    assert "1 reply written" in TooManyReplies("You", 1).message
    assert "2 replies written" in TooManyReplies("You", 2).message


def test_a_merge_is_named_by_its_model() -> None:
    assert speaker_label(PastReply("merge:gpt-4o", "x", ReplyKind.MERGE)) == "merge by gpt-4o"
