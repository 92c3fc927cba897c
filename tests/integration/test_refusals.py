"""What is said to whoever sends something that cannot be taken."""

import pytest
from tests.world import Person


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
