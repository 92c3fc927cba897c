"""Whatever a tool is called, it stays in its folder and hides no module, or it is refused."""

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.files.paths import normalise
from tertulia.sandbox.domain import RunOutcome, RunStatus, SandboxJob, SandboxLimits
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.frames import RunResult, TableFrame
from tertulia.sandbox.result_validation import validate_result
from tertulia.sandbox.tool_names import normalise_tool_name

pieces = st.one_of(
    st.sampled_from(
        ["..", ".", "/", "\\", "json", ".py", "tool", "C:", "numpy", "\x00", "\u202e", "__init__"]
    ),
    st.sampled_from(sorted(sys.stdlib_module_names)),
    st.text(max_size=4),
)
names = st.lists(pieces, max_size=8).map("".join)


@given(names)
@example("../../etc/cron.d/x")
@example("/etc/passwd")
@example("json.py")
@example("JSON.cpython-315.pyc")
def test_a_name_that_is_kept_is_regular_and_hides_nothing(name: str) -> None:
    try:
        kept = normalise_tool_name(name)
    except NameRefused:
        return
    assert normalise(kept) == kept
    first = kept.split("/")[0]
    module = first if "/" in kept else first.removesuffix(".py")
    assert module == kept or module not in sys.stdlib_module_names


@pytest.mark.parametrize(
    "name", ["json.py", "json/__init__.py", "Numpy.py", "pandas/x.txt", "os.pyc", "sitecustomize.py", "re.so"]
)
def test_a_tool_that_would_hide_a_module_is_refused_by_name(name: str) -> None:
    with pytest.raises(NameRefused, match="would hide"):
        normalise_tool_name(name)


@pytest.mark.parametrize("name", ["totals.py", "calendar.csv", "my/json.py", "json_lines.py", "été.py"])
def test_other_names_are_fine(name: str) -> None:
    assert normalise_tool_name(name) == name


@given(
    st.dictionaries(names, st.binary(max_size=30), max_size=8),
    st.lists(st.binary(max_size=20), max_size=4),
    st.lists(st.lists(st.text(max_size=5), max_size=3), max_size=3),
)
def test_a_workers_verdict_never_exceeds_what_the_job_was_given(
    tools: dict[str, bytes], figures: list[bytes], rows: list[list[str]]
) -> None:
    job = SandboxJob("", limits=SandboxLimits(seconds=1, output_bytes=1000, disk_bytes=60, files=3))
    done = RunResult(RunStatus.OK, figures=figures, tools=tools, table=TableFrame(["a"], rows, -5))

    believed: RunOutcome = validate_result(done, job=job, seconds=1)

    assert sum(map(len, believed.tools.values())) <= 60
    assert len(believed.tools) <= 3
    assert all(normalise_tool_name(name) == name for name in believed.tools)
    assert not believed.figures or all(one.png.startswith(b"\x89PNG") for one in believed.figures)
    assert believed.table is not None
    assert believed.table.rows_in_all >= len(believed.table.rows)
