"""The built-in embedder, really embedding: in its own process, with the weights that set-up fetched."""

import asyncio
import base64
import json
import signal
import sys
import textwrap
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import numpy as np
import psutil
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import effort
from tests.models_world import CANARY

from tertulia.embedding import weights
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.local import LOCAL_BATCH_TEXTS, LocalEmbedder
from tertulia.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="module")
REFERENCE = Path(__file__).with_name("embedding_reference.json")
any_text = st.text(st.characters(exclude_categories=()), max_size=300)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LocalEmbedder]:
    """One embedder for all; where its weights are missing the error says how to install them."""
    one = LocalEmbedder(Settings(data_dir=tmp_path_factory.mktemp("data")))
    yield one
    await one.close()


def process_of(embedder: LocalEmbedder) -> psutil.Process:
    assert embedder.pid is not None
    return psutil.Process(embedder.pid)


async def gone(process: psutil.Process, *, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        await asyncio.sleep(0.02)
    return True


async def test_vectors_are_those_of_the_model_in_full_precision(embedder: LocalEmbedder) -> None:
    known = json.loads(REFERENCE.read_text("utf-8"))
    expected = np.array([np.frombuffer(base64.b64decode(one), dtype="<f2") for one in known.values()], "f4")
    found = await embedder.embed(list(known))
    assert found.shape == (len(known), embedder.dimensions)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(known)), abs=1e-5)
    cosines = (found * expected).sum(axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.99


async def test_what_means_the_same_is_close_and_what_does_not_is_far(embedder: LocalEmbedder) -> None:
    question, answer, other = await embedder.embed(
        ["How do I reset my password?", "Steps for recovering a lost login", "The cat sat on the mat"]
    )
    assert question @ answer > question @ other + 0.3


async def test_a_texts_vector_does_not_depend_on_what_it_is_asked_with(embedder: LocalEmbedder) -> None:
    texts = [f"note number {n} " * (n % 7 + 1) for n in range(2 * LOCAL_BATCH_TEXTS + 3)]
    together = await embedder.embed(texts)
    alone = [(await embedder.embed([text], urgent=True))[0] for text in texts[:5]]
    assert (together[:5] == np.array(alone)).all()
    assert (await embedder.embed([])).shape == (0, embedder.dimensions)


async def test_only_the_first_256_pieces_of_words_are_read(embedder: LocalEmbedder) -> None:
    base = "word " * 254
    first, same, shorter = await embedder.embed([base + "x", base + "entirely different", "word " * 100])
    assert (first == same).all()
    assert not (first == shorter).all()


async def test_the_names_of_special_pieces_are_words_like_any_other(embedder: LocalEmbedder) -> None:
    named, bare = await embedder.embed(["before [SEP] after", "before sep after"])
    assert named @ bare > 0.5
    assert not (named == (await embedder.embed(["before  after"]))[0]).all()


ODD_TEXTS = {
    "nothing": "",
    "white space": " \n\t",
    "null": "\0",
    "half a character": "\ud800",
    "half a character within": "a\udfffb",
    "byte order mark": "\ufeff",
    "many symbols": "🜁" * 5000,
    "marks that turn the direction": "\u202e\u0301" * 900,
    "one long word": "x" * 1_000_000,
    "many words": "word " * 200_000,
    "special pieces": "[CLS] [PAD] [MASK]",
}


@pytest.mark.parametrize("kind", ODD_TEXTS)
async def test_no_text_is_too_odd(embedder: LocalEmbedder, kind: str) -> None:
    (vector,) = await embedder.embed([ODD_TEXTS[kind]], urgent=True)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@settings(max_examples=effort(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(any_text, max_size=4), urgent=st.booleans())
async def test_any_text_has_a_vector(embedder: LocalEmbedder, texts: list[str], urgent: bool) -> None:
    found = await embedder.embed(texts, urgent=urgent)
    assert found.shape == (len(texts), embedder.dimensions)
    assert np.isfinite(found).all()


async def test_a_query_does_not_wait_for_indexing(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"], urgent=True)
    indexing = [asyncio.create_task(embedder.embed(["a long text " * 80] * 200)) for _ in range(3)]
    await asyncio.sleep(0.1)
    await embedder.embed(["where is the setting?"], urgent=True)
    assert not any(one.done() for one in indexing)
    for one in indexing:
        one.cancel()
    await asyncio.gather(*indexing, return_exceptions=True)


async def test_several_who_index_are_served_in_turn(embedder: LocalEmbedder) -> None:
    long = asyncio.create_task(embedder.embed(["a long text " * 40] * 200))
    await asyncio.sleep(0)
    await embedder.embed(["a short one"])
    assert not long.done()
    # What is given up is not worked off first: the next one to ask waits for little.
    long.cancel()
    await embedder.embed(["the next one"])


async def test_a_crash_is_mended_while_somebody_waits(embedder: LocalEmbedder) -> None:
    before = await embedder.embed(["the same text"])
    process = process_of(embedder)
    waiting = asyncio.create_task(embedder.embed(["the same text"] * 100))
    await asyncio.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    found = await waiting
    assert (found == before).all()
    assert process_of(embedder).pid != process.pid


async def test_a_process_that_always_dies_is_an_error_and_not_a_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "program"))
    one = LocalEmbedder(Settings(data_dir=tmp_path))
    with pytest.raises(EmbedderUnavailable, match="tertulia models install embedder"):
        await one.embed(["x"])
    files = weights.EmbedderFiles(tmp_path / "models" / weights.EMBEDDER_NAME)
    files.folder.mkdir(parents=True)
    for path in (files.graph, files.tokenizer, files.checksums):
        path.write_text("{}")
    with pytest.raises(EmbedderUnavailable, match="did not start"):
        await one.embed(["x"])
    await one.close()


async def test_it_is_started_on_first_use_without_our_secrets_and_stopped_when_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    one = LocalEmbedder(Settings(data_dir=tmp_path), idle_seconds=0.2)
    assert one.pid is None
    first = await one.embed(["x"])
    process = process_of(one)
    assert CANARY not in str(process.environ()) + str(process.cmdline())
    assert await gone(process)
    assert (await one.embed(["x"]) == first).all()
    await one.close()
    with pytest.raises(EmbedderUnavailable):
        await one.embed(["x"])


async def test_closing_ends_the_process_and_whoever_waits_is_told(tmp_path: Path) -> None:
    one = LocalEmbedder(Settings(data_dir=tmp_path))
    await one.embed(["x"])
    process = process_of(one)
    waiting = asyncio.create_task(one.embed(["a long text " * 80] * 100))
    await asyncio.sleep(0.05)
    await one.close()
    assert await gone(process)
    with pytest.raises(EmbedderUnavailable):
        await waiting


async def test_the_embedder_does_not_outlive_a_killed_server(tmp_path: Path) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        from tertulia.embedding.local import LocalEmbedder
        from tertulia.settings import Settings

        async def main():
            embedder = LocalEmbedder(Settings(data_dir=Path(sys.argv[1])))
            await embedder.embed(["x"])
            print(embedder.pid, flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(program), str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    process = psutil.Process(int(await server.stdout.readline()))
    server.kill()
    await server.wait()
    assert await gone(process)
