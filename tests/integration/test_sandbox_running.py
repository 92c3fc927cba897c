"""Code runs as in a notebook: it prints, draws, shows its last value and keeps its tools."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import BinaryIO

import pytest
import pytest_asyncio
from tests.sandbox_world import LIMITS, open_sandbox, run

from tertulia.sandbox.domain import (
    FileOpened,
    LentFile,
    OutputStream,
    PrintedText,
    Readiness,
    RunStatus,
    SandboxJob,
    State,
)
from tertulia.sandbox.errors import JobInvalid, SandboxUnavailable
from tertulia.sandbox.service import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")

SALES = b"city,amount\nLeon,3\nLugo,5\nLeon,4\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Sandbox]:
    async with open_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


async def test_the_last_expression_is_the_value_and_the_rest_is_printed(sandbox: Sandbox) -> None:
    ran = await run(sandbox, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 6\nx * 7")

    assert (ran.outcome.status, ran.outcome.value, ran.outcome.error) == (RunStatus.OK, "42", "")
    assert (ran.printed(), ran.printed(OutputStream.ERR)) == ("out\n", "err\n")
    assert sandbox.readiness() == Readiness(State.READY, progress=1)


@pytest.mark.parametrize("code", ["", "x = 1", "None", "# nothing", "def f(): return 3"])
async def test_code_without_a_value_has_none(sandbox: Sandbox, code: str) -> None:
    outcome = (await run(sandbox, code)).outcome

    assert (outcome.status, outcome.value) == (RunStatus.OK, "")


async def test_an_error_shows_where_it_is_in_the_code_and_nothing_of_ours(sandbox: Sandbox) -> None:
    outcome = (await run(sandbox, "def half(x):\n    return x / 0\n\nhalf(3)")).outcome

    assert outcome.status is RunStatus.ERROR
    assert outcome.error.startswith('Traceback (most recent call last):\n  File "<code>", line 4')
    assert "return x / 0" in outcome.error
    assert "ZeroDivisionError: division by zero" in outcome.error
    assert "inside" not in outcome.error


async def test_a_mistake_in_the_syntax_is_an_error_like_others(sandbox: Sandbox) -> None:
    outcome = (await run(sandbox, "print('never')\nx = (")).outcome

    assert outcome.status is RunStatus.ERROR
    assert "SyntaxError" in outcome.error


@pytest.mark.parametrize(
    ("status", "ends"), [("", RunStatus.OK), ("0", RunStatus.OK), ("'no data'", RunStatus.ERROR)]
)
async def test_leaving_early_is_fine_unless_something_is_said(
    sandbox: Sandbox, status: str, ends: RunStatus
) -> None:
    assert (await run(sandbox, f"import sys; sys.exit({status}); 1 / 0")).outcome.status is ends


async def test_printed_text_arrives_while_the_code_runs(sandbox: Sandbox) -> None:
    code = "import time\nprint('first')\ntime.sleep(0.6)\nprint('sécond')"
    began, times = perf_counter(), dict[str, float]()
    async for event in sandbox.run(SandboxJob(code, LIMITS)):
        if isinstance(event, PrintedText):
            times[event.text] = perf_counter() - began
        else:
            times["ended"] = perf_counter() - began

    assert list(times) == ["first\n", "sécond\n", "ended"]
    assert times["ended"] - times["first\n"] > 0.4


async def test_a_character_that_is_printed_in_two_halves_is_one(sandbox: Sandbox) -> None:
    code = "import os, time\nfor part in (b'\\xc3', b'\\xa9'):\n    os.write(1, part)\n    time.sleep(0.1)"

    assert (await run(sandbox, code)).printed() == "é"


async def test_a_table_comes_as_text_and_as_cells_and_open_figures_as_pictures(sandbox: Sandbox) -> None:
    code = """
import pandas as pd, matplotlib.pyplot as plt
sales = pd.read_csv("/project/files/2024/sales.csv")
sums = sales.groupby("city").amount.sum()
sums.plot.bar()
plt.show()
plt.figure()
plt.plot([1, 2])
sums.to_frame()
"""
    ran = await run(sandbox, code, files={"2024/sales.csv": SALES})

    assert ran.outcome.error == ""
    assert ran.outcome.value.split() == ["amount", "city", "Leon", "7", "Lugo", "5"]
    assert ran.outcome.table is not None
    assert ran.outcome.table.columns == ("city", "amount")
    assert ran.outcome.table.rows == (("Leon", "7"), ("Lugo", "5"))
    assert [figure.png[1:4] for figure in ran.outcome.figures] == [b"PNG", b"PNG"]
    assert ran.printed(OutputStream.ERR) == ""


async def test_libraries_are_imported_beforehand_once_code_has_needed_them(sandbox: Sandbox) -> None:
    await run(sandbox, "import numpy")
    for _ in range(20):
        await asyncio.sleep(0.5)
        ran = await run(sandbox, "import sys\n# pandas\n'pandas' in sys.modules")
        if ran.outcome.value == "True":
            return
    raise AssertionError("pandas is never imported beforehand")


async def test_files_are_read_only_when_they_are_opened(sandbox: Sandbox, tmp_path: Path) -> None:
    asked = list[str]()

    async def open_it() -> BinaryIO:
        asked.append("lent")
        return BytesIO(b"from afar")

    path = tmp_path / "here.txt"
    path.write_bytes(b"from disk")
    files = {
        "a/lent.txt": LentFile(9, open_it),
        "never.txt": LentFile(5, open_it),
        "here.txt": path,
        "b.bin": b"\0\1",
    }
    code = """
import os
root = "/project/files"
sizes = {name: os.path.getsize(f"{root}/{name}") for name in ("a/lent.txt", "here.txt", "b.bin")}
texts = [open(f"{root}/{name}").read() for name in ("a/lent.txt", "here.txt")]
sorted(os.listdir(root)), sizes, texts, open(f"{root}/b.bin", "rb").read()
"""
    outcome = (await run(sandbox, code, files=files)).outcome

    assert outcome.value == repr(
        (
            ["a", "b.bin", "here.txt", "never.txt"],
            {"a/lent.txt": 9, "here.txt": 9, "b.bin": 2},
            ["from afar", "from disk"],
            b"\0\1",
        )
    )
    assert asked == ["lent"]


async def test_a_file_of_many_blocks_arrives_whole(sandbox: Sandbox, tmp_path: Path) -> None:
    path, large = tmp_path / "large.bin", os.urandom(5_000_000)
    path.write_bytes(large)
    code = """
import hashlib
hashlib.sha256(open("/project/files/large.bin", "rb").read()).hexdigest()
"""
    outcome = (await run(sandbox, code, files={"large.bin": path, "same.bin": large})).outcome

    assert outcome.value == repr(hashlib.sha256(large).hexdigest())


async def test_tools_are_imported_changed_and_made(sandbox: Sandbox) -> None:
    tools = {"totals.py": b"def total(xs):\n    return sum(xs)\n", "pack/deep.py": b"A = 1\n", "same.py": b""}
    code = """
from totals import total
import pack.deep
with open("/project/tools/pack/deep.py", "w") as file:
    file.write("A = 2\\n")
with open("/project/tools/fresh.py", "w") as file:
    file.write('"Made just now."\\nB = 3\\n')
import fresh
total([1, 2, 3]), pack.deep.A, fresh.B
"""
    outcome = (await run(sandbox, code, tools=tools)).outcome

    assert outcome.value == "(6, 1, 3)"
    assert outcome.tools == {"pack/deep.py": b"A = 2\n", "fresh.py": b'"Made just now."\nB = 3\n'}
    assert outcome.refused == {}


async def test_a_tool_of_code_that_failed_later_is_kept_all_the_same(sandbox: Sandbox) -> None:
    code = "open('/project/tools/kept.py', 'w').write('x = 1')\n1 / 0"

    outcome = (await run(sandbox, code)).outcome

    assert (outcome.status, outcome.tools) == (RunStatus.ERROR, {"kept.py": b"x = 1"})


async def test_code_has_room_of_its_own_to_write_to(sandbox: Sandbox) -> None:
    code = """
import shutil, sqlite3, tempfile, zipfile
with open("notes.txt", "w") as file:
    file.write("hi")
with zipfile.ZipFile("/tmp/a.zip", "w") as archive:
    archive.write("notes.txt")
shutil.copytree("/tmp", "/project/tools/twin")
with tempfile.TemporaryDirectory() as folder:
    open(folder + "/x", "w").close()
shutil.rmtree("/project/tools/twin")
zipfile.ZipFile("/tmp/a.zip").read("notes.txt"), sqlite3.connect(":memory:").execute("select 1").fetchall()
"""
    outcome = (await run(sandbox, code)).outcome

    assert (outcome.error, outcome.value, outcome.tools) == ("", "(b'hi', [(1,)])", {})


async def test_a_job_with_impossible_names_or_code_is_not_run(sandbox: Sandbox) -> None:
    for job in (
        SandboxJob("1", LIMITS, files={"../x": b""}),
        SandboxJob("1", LIMITS, tools={"/etc/x.py": b""}),
        SandboxJob("'\ud800'", LIMITS),
    ):
        with pytest.raises(JobInvalid):
            await anext(sandbox.run(job))


async def test_a_limit_of_memory_can_be_the_jobs_own(sandbox: Sandbox) -> None:
    code = "len(bytearray(300_000_000))"

    small = await run(sandbox, code, limits=replace(LIMITS, seconds=20, memory_mb=256))
    large = await run(sandbox, code, limits=replace(LIMITS, seconds=20, memory_mb=1000))

    assert small.outcome.status is RunStatus.OUT_OF_MEMORY
    assert "256 MB" in small.outcome.error
    assert large.outcome.value == "300000000"


async def test_after_it_was_closed_nothing_is_run(tmp_path: Path) -> None:
    async with open_sandbox(tmp_path) as sandbox:
        assert (await run(sandbox, "1", limits=LIMITS)).outcome.value == "1"
    with pytest.raises(SandboxUnavailable, match="shutting down"):
        await run(sandbox, "1")
    assert not any((tmp_path / "sandbox" / "scratch").iterdir())


async def test_each_file_and_tool_that_the_code_reads_is_told(sandbox: Sandbox) -> None:
    code = """
import os, used
open("/project/files/read.txt").read()
os.rename("/project/tools/moved.py", "/tmp/moved.py")
os.listdir("/project/files")
"""
    files: dict[str, bytes] = {"read.txt": b"1", "unread.txt": b"2"}
    tools = {"used.py": b"", "moved.py": b"", "unused.py": b""}
    events = (await run(sandbox, code, files=files, tools=tools)).events

    opened = {event.path for event in events if isinstance(event, FileOpened)}
    assert opened == {"/project/files/read.txt", "/project/tools/used.py", "/project/tools/moved.py"}
