"""Vectors from another server, and choosing who makes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models_world import CANARY, ModelsWorld

from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.factory import embedder_for
from tertulia.embedding.local import LocalEmbedder, prepare_local_text
from tertulia.embedding.remote import REMOTE_BATCH_TEXTS, RemoteEmbedder, prepare_remote_text
from tertulia.models.providers.endpoint import Endpoint
from tertulia.settings import SettingInvalid, Settings

any_text = st.text(st.characters(exclude_categories=()))


class Server:
    """Answers with vectors of three numbers, or as it is told, and remembers what it was asked."""

    def __init__(self, answer: Callable[[list[str]], httpx2.Response] | None = None) -> None:
        self.requests: list[httpx2.Request] = []
        self.answer = answer or (lambda texts: vectors(*([len(text), 1, 2] for text in texts)))
        self.client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._hear))

    def texts(self) -> list[list[str]]:
        return [json.loads(request.content)["input"] for request in self.requests]

    def _hear(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self.answer(json.loads(request.content)["input"])


def vectors(*rows: Any, order: list[int] | None = None) -> httpx2.Response:
    order = list(range(len(rows))) if order is None else order
    return httpx2.Response(
        200, json={"data": [{"index": index, "embedding": rows[index]} for index in order]}
    )


def embedder(server: Server, *, kind: str = "openai", base: str = "http://one.test/v1") -> RemoteEmbedder:
    async def endpoint() -> Endpoint:
        return Endpoint("one", kind, base, CANARY)

    return RemoteEmbedder(
        "one/small", model="small", endpoint=endpoint, client=server.client, silence_seconds=5
    )


async def test_texts_become_rows_of_length_one_in_their_order() -> None:
    server = Server(lambda _: vectors([3, 4], [0, 2], order=[1, 0]))
    one = embedder(server)
    found = await one.embed(["first", "second"], urgent=True)
    assert found.dtype == np.float32
    assert found.tolist() == [pytest.approx([0.6, 0.8]), pytest.approx([0, 1])]
    assert (one.name, one.dimensions) == ("one/small", 2)
    (request,) = server.requests
    assert str(request.url) == "http://one.test/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    assert json.loads(request.content)["model"] == "small"


async def test_no_texts_need_no_server() -> None:
    server = Server()
    assert (await embedder(server).embed([])).shape == (0, 0)
    assert server.requests == []


async def test_many_texts_are_sent_in_groups() -> None:
    server = Server()
    found = await embedder(server).embed(["x" * n for n in range(1, REMOTE_BATCH_TEXTS + 6)])
    assert found.shape == (REMOTE_BATCH_TEXTS + 5, 3)
    assert [len(texts) for texts in server.texts()] == [REMOTE_BATCH_TEXTS, 5]
    assert (np.diff(found[:, 0]) > 0).all()


async def test_google_is_asked_at_its_door_for_openais_format() -> None:
    server = Server()
    await embedder(server, kind="google", base="http://google.test").embed(["x"])
    assert str(server.requests[0].url) == "http://google.test/v1beta/openai/embeddings"


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>"),
        httpx2.Response(200, content=b"\xff"),
        httpx2.Response(200, json={"data": []}),
        httpx2.Response(200, json={"data": [{"embedding": "AAAA"}]}),
        vectors([1, 2], [3, 4]),
        vectors([]),
        vectors([0, 0]),
        vectors([1e308, 1e308]),
        httpx2.Response(200, json={"data": [{"index": 7, "embedding": [1, 2]}]}),
    ],
)
async def test_vectors_that_cannot_be_used_are_refused(answer: httpx2.Response) -> None:
    with pytest.raises(EmbedderUnavailable, match="check TERTULIA_EMBEDDER"):
        await embedder(Server(lambda _: answer)).embed(["x"])


async def test_vectors_do_not_change_their_length_under_us() -> None:
    answers = iter([vectors([1, 2]), vectors([1, 2, 3])])
    one = embedder(Server(lambda _: next(answers)))
    await one.embed(["x"])
    with pytest.raises(EmbedderUnavailable):
        await one.embed(["x"])


async def test_a_failure_says_what_to_do_and_keeps_the_key_to_itself() -> None:
    busy = httpx2.Response(429, headers={"retry-after": "7"}, json={"error": {"message": f"slow, {CANARY}"}})
    with pytest.raises(EmbedderUnavailable, match="one asks us to slow down") as caught:
        await embedder(Server(lambda _: busy)).embed(["x"])
    assert caught.value.retry_after == 7
    assert caught.value.data == {"provider": "one", "cause": "provider_busy"}
    assert CANARY not in caught.value.message


@given(any_text)
def test_any_text_can_be_sent(text: str) -> None:
    for made in (prepare_local_text(text), prepare_remote_text(text)):
        assert made.encode().decode() == made
    assert prepare_remote_text(text).strip()
    assert "\0" not in prepare_remote_text(text)


async def test_the_settings_choose_the_embedder(tmp_path: Path) -> None:
    async with ModelsWorld(tmp_path).running() as models, httpx2.AsyncClient() as client:

        def chosen(name: str) -> Any:
            settings = Settings.from_env({"TERTULIA_DATA_DIR": str(tmp_path), "TERTULIA_EMBEDDER": name})
            return embedder_for(settings, models, client=client)

        assert isinstance(chosen(""), LocalEmbedder)
        assert isinstance(chosen("Builtin"), LocalEmbedder)
        assert chosen("off") is None
        assert chosen("openrouter/qwen/embed:8b").name == "openrouter/qwen/embed:8b"
        with pytest.raises(EmbedderUnavailable, match="openrouter, which the server has no connection to"):
            await chosen("openrouter/qwen/embed:8b").embed(["x"])
        for wrong in ("minilm", "/model", "openai/"):
            with pytest.raises(SettingInvalid, match="TERTULIA_EMBEDDER must be builtin, off"):
                chosen(wrong)


async def test_the_connection_of_the_environment_is_asked(tmp_path: Path) -> None:
    server = Server()
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    settings = Settings(data_dir=tmp_path, embedder="openai/small")
    async with ModelsWorld(tmp_path, env).running() as models:
        one = embedder_for(settings, models, client=server.client)
        assert one is not None
        assert (await one.embed(["x"])).shape == (1, 3)
    assert str(server.requests[0].url) == "http://127.0.0.1:9/v1/embeddings"


async def test_a_broken_connection_is_named(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": "nonsense"}
    settings = Settings(data_dir=tmp_path, embedder="openai/small")
    async with ModelsWorld(tmp_path, env).running() as models:
        one = embedder_for(settings, models, client=Server().client)
        assert one is not None
        with pytest.raises(EmbedderUnavailable, match="OPENAI_BASE_URL cannot be used"):
            await one.embed(["x"])
