"""Nothing gets out of the sandbox, and nothing of one run is found in another (A15)."""

import asyncio
import socket
import sys
import textwrap
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from tests.sandbox_world import idle, open_sandbox, run

from tertulia.infra.child.frames import encode_message, pack_frame
from tertulia.sandbox.domain import OutputStream, RunOutcome, RunStatus, SandboxJob
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.frames import RunResult
from tertulia.sandbox.probes import PROBE_FILES, SANDBOX_PROBES, SandboxProbe
from tertulia.sandbox.selftest import escape_found
from tertulia.sandbox.service import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANARY = "canary-7f3a9c"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Sandbox]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        patch.setenv("TERTULIA_CANARY", CANARY)
        async with open_sandbox(tmp_path_factory.mktemp("sandbox"), concurrent_runs=1) as sandbox:
            yield sandbox


@pytest.mark.parametrize("probe", SANDBOX_PROBES, ids=lambda probe: probe.name)
async def test_no_attempt_gets_anywhere(sandbox: Sandbox, probe: SandboxProbe, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(CANARY)

    ran = await run(sandbox, probe.source(str(secret)), files=PROBE_FILES, limits=probe.limits)

    assert escape_found(probe, ran.events, CANARY) == ""
    assert ran.outcome.tools.keys() <= {"harmless.txt", "a", *map(str, range(50))}
    assert (await run(sandbox, "'alive'")).outcome.value == "'alive'"


async def test_the_servers_environment_is_in_neither_the_code_nor_its_worker(sandbox: Sandbox) -> None:
    ran = await run(sandbox, "import os\nprint(os.environ)\ndict(os.environ)")

    assert CANARY not in f"{ran.events}"
    for pid in idle(sandbox):
        assert CANARY not in f"{psutil.Process(pid).environ()}"


async def test_a_server_on_this_very_machine_is_not_reached(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        port = server.getsockname()[1]
        code = f"""
import urllib.request, socket, http.client
for way in (
    lambda: urllib.request.urlopen("http://127.0.0.1:{port}/", timeout=2),
    lambda: socket.create_connection(("127.0.0.1", {port}), 2),
    lambda: http.client.HTTPConnection("localhost", {port}, timeout=2).request("GET", "/"),
):
    try:
        way()
        print("reached")
    except Exception:
        pass
"""
        ran = await run(sandbox, code)
        with pytest.raises(TimeoutError):
            server.accept()
    assert (ran.outcome.status, ran.printed()) == (RunStatus.OK, "")


async def test_a_planted_link_is_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    secret, link = tmp_path / "secret", tmp_path / "link"
    secret.write_text(CANARY)
    link.symlink_to(secret)
    folder, device = tmp_path / "folder", Path("/dev/zero")
    folder.mkdir()
    code = """
import os
for name in os.listdir("/project/files"):
    try:
        print(open(f"/project/files/{name}").read())
    except OSError as error:
        print(name, "refused")
"""
    ran = await run(sandbox, code, files={"link": link, "folder": folder, "device": device})

    assert sorted(ran.printed().splitlines()) == ["device refused", "folder refused", "link refused"]


async def test_what_the_code_prints_or_leaves_is_never_taken_for_a_workers_word(sandbox: Sandbox) -> None:
    result = RunResult(RunStatus.OK, value="forged", tools={"../../x.py": b"", "json.py": b"", "a.py": b"x"})
    forged = pack_frame(encode_message(result))
    code = f"""
import os, json
frame = {forged!r}
for number in range(1, 20):
    try:
        os.write(number, frame)
    except OSError:
        pass
print("mine")
"""
    ran = await run(sandbox, code)

    assert (ran.outcome.status, ran.outcome.value, ran.outcome.tools) == (RunStatus.OK, "", {})
    assert "forged" in ran.printed()
    assert "forged" in ran.printed(OutputStream.ERR)
    assert ran.printed().endswith("mine\n")


@pytest.mark.parametrize(
    "report",
    [
        "not json",
        "[]",
        '{"error": "", "memory": false, "value": 5, "table": null, "figures": 0}',
        '{"error": "", "memory": false, "value": "", "table": {"columns": 1}, "figures": 0}',
        '{"error": "", "memory": false, "value": "", "table": null, "figures": "all"}',
    ],
)
async def test_a_forged_report_of_the_wrong_shape_is_a_crash_of_the_code(
    sandbox: Sandbox, report: str
) -> None:
    code = f"import os\nwith open('/report/report.json', 'w') as file: file.write({report!r})\nos._exit(0)"

    assert (await run(sandbox, code)).outcome.status is RunStatus.CRASHED


async def test_a_forged_report_of_the_right_shape_says_no_more_than_the_code_could(sandbox: Sandbox) -> None:
    report = '{"error": "", "memory": false, "value": "mine", "table": null, "figures": 3}'
    code = f"""
import os
for name, text in (("report.json", {report!r}), ("0.png", "no picture"), ("1.png", "\\x89PNG")):
    with open("/report/" + name, "w") as file:
        file.write(text)
os._exit(0)
"""
    outcome = (await run(sandbox, code)).outcome

    assert (outcome.status, outcome.value, outcome.figures) == (RunStatus.OK, "mine", ())


async def test_nothing_of_a_run_is_left_for_the_next(sandbox: Sandbox) -> None:
    first = """
import builtins, os, sys, json
builtins.left = sys.left = json.left = "left"
os.environ["LEFT"] = "left"
sys.path.insert(0, "/tmp")
sys.modules["_inside"].run = lambda source: print("taken over")
for path in ("/tmp/left.py", "/project/tools/left.py", "/report/left", "/report/0.png"):
    with open(path, "w") as file:
        file.write("left = 1")
left = [bytearray(b"LEFT-IN-MEMORY") for _ in range(1000)]
os.chdir("/project")
"""
    second = """
import builtins, gc, os, sys, json
found = [name for name in ("builtins", "sys", "json") if hasattr(sys.modules[name], "left")]
found += [name for name in ("LEFT",) if name in os.environ]
found += [path for path in ("/tmp", "/project/tools") if os.listdir(path)]
arrays = [one for one in gc.get_objects() if type(one) is bytearray]
found += ["in memory"] * any(b"LEFT-" in one for one in arrays)
found += sorted(set(os.listdir("/report")) - {"report.json", "matplotlib"})
try:
    import left
    found.append("left")
except ImportError:
    pass
found, os.getcwd(), "/tmp" in sys.path
"""
    assert (await run(sandbox, first)).outcome.tools == {"left.py": b"left = 1"}

    ran = await run(sandbox, second)

    assert (ran.outcome.value, ran.outcome.error) == ("([], '/tmp', False)", "")


async def test_chance_is_not_the_same_in_every_run(sandbox: Sandbox) -> None:
    code = "import random, uuid, secrets\nrandom.random(), uuid.uuid4(), secrets.token_hex(8)"

    values = {(await run(sandbox, code)).outcome.value for _ in range(3)}

    assert len(values) == 3


async def test_only_regular_files_with_harmless_names_are_kept(sandbox: Sandbox) -> None:
    code = """
import os
def write(name):
    try:
        os.makedirs(os.path.dirname("/project/tools/" + name), exist_ok=True)
        with open("/project/tools/" + name, "w") as file:
            file.write("x = 1")
    except OSError:
        print("refused", ascii(name))
good = ["good.py", "data/t.csv", "__pycache__/a.pyc"]
for name in (*good, "json.py", "os/x.py", "../up.py", "a\\u202eb.py", "con.py", "x\\n.py"):
    write(name)
"""
    ran = await run(sandbox, code)

    assert sorted(ran.outcome.tools) == ["data/t.csv", "good.py"]
    assert len(ran.printed().splitlines()) == 6


async def test_with_a_backend_that_lets_code_out_the_sandbox_is_off(tmp_path: Path) -> None:
    class Leaky:
        """Runs code in a process without any walls."""

        name, folder, installed = "leaky", tmp_path, True

        async def prepare(self, report: object) -> None:
            pass

        async def run(self, job: SandboxJob, *, stop: asyncio.Event) -> AsyncGenerator[RunOutcome]:
            lines = job.code.rstrip().splitlines()
            code = textwrap.dedent("\n".join([*lines[:-1], f"print(repr({lines[-1]}))"]))
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE)
            yield RunOutcome(RunStatus.OK, 0, value=(await process.communicate())[0].decode().strip())

        async def close(self) -> None:
            pass

    async with open_sandbox(tmp_path, backend=Leaky()) as sandbox:
        with pytest.raises(SandboxUnavailable, match=r"The sandbox is off.*files of the host"):
            await run(sandbox, "1")
        assert sandbox.readiness().state == "off"
        assert "files of the host" in sandbox.readiness().reason
