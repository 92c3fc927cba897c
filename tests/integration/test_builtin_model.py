"""The built-in model, really answering: one test, as it loads the real weights."""

import asyncio
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import httpx2
import psutil
import pytest
from tests.models_world import CANARY, ModelsWorld, heard_from, person, text_of

from tertulia.models.builtin import weights
from tertulia.models.builtin.child import BuiltinProcess
from tertulia.models.calls import Call, PromptMessage, StreamEvent, TextDelta, Usage
from tertulia.models.providers import provider_for
from tertulia.models.service import Models
from tertulia.settings import Settings

ANN = person("ann")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the weights; where they are missing the error says how to install them."""
    return weights.get(Settings(data_dir=tmp_path_factory.mktemp("data")))


def children_of(pid: int) -> list[psutil.Process]:
    return [
        one for one in psutil.Process(pid).children() if "tertulia.models.builtin.process" in one.cmdline()
    ]


async def gone(process: psutil.Process, *, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        await asyncio.sleep(0.02)
    return True


async def ask(models: Models, question: str, *, max_tokens: int = 60) -> list[StreamEvent]:
    return await heard_from(await models.resolve("smollm2", ANN), question, max_tokens=max_tokens)


@pytest.mark.usefixtures("installed")
async def test_the_built_in_model_answers_stops_comes_back_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    async with ModelsWorld(tmp_path, builtin_model=True).running() as models:
        assert children_of(os.getpid()) == []
        first, second = await asyncio.gather(ask(models, "What is the capital of France?"), ask(models, "Hi"))
        assert "France" in text_of(first)
        assert text_of(second)
        for _ in range(12):
            assert text_of(await ask(models, "Say one word.", max_tokens=4))
        usage = [one for one in first if isinstance(one, Usage)][-1]
        assert usage.input > 5
        assert 0 < usage.output <= 60
        (process,) = children_of(os.getpid())
        assert CANARY not in str(process.environ()) + str(process.cmdline())

        # Whoever stops listening stops the model too.
        resolved = await models.resolve("smollm2", ANN)
        story = resolved.provider.stream(
            Call("smollm2", "", (PromptMessage("user", "Tell a long story."),), 1000)
        )
        assert isinstance(await anext(story), TextDelta)
        await story.aclose()
        await asyncio.sleep(0.3)
        before = process.cpu_times().user
        await asyncio.sleep(0.5)
        assert process.cpu_times().user - before < 0.2

        # A crash is mended by the next question.
        process.send_signal(signal.SIGKILL)
        assert await gone(process)
        assert text_of(await ask(models, "Hi again"))
        (process,) = children_of(os.getpid())
    assert await gone(process)


async def test_an_idle_model_is_stopped_and_strangers_are_not_served(installed: Path) -> None:
    runner = BuiltinProcess(lambda: installed, idle_seconds=0.2)
    async with runner.running() as endpoint, httpx2.AsyncClient() as client:
        (process,) = children_of(os.getpid())
        assert endpoint.base_url.startswith("http://127.0.0.1:")
        refused = await client.get(f"{endpoint.base_url}/models", headers={"Authorization": "Bearer guess"})
        assert refused.status_code == 401
        listed = await provider_for(endpoint, client=client, silence_seconds=10).offered()
        assert [one.name for one in listed] == ["smollm2"]
        await asyncio.sleep(0.4)
        assert runner.pid is not None
    assert await gone(process)
    await runner.close()


async def test_the_model_does_not_outlive_a_killed_server(installed: Path) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        from tertulia.models.builtin.child import BuiltinProcess

        async def main():
            runner = BuiltinProcess(lambda: Path(sys.argv[1]))
            async with runner.running():
                print(runner.pid, flush=True)
                await asyncio.sleep(60)

        asyncio.run(main())
    """
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(program), str(installed), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    model = psutil.Process(int(await server.stdout.readline()))
    server.kill()
    await server.wait()
    assert await gone(model)
