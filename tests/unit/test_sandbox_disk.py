"""The disk that code sees: lent files stay as they are, the rest has its bounds."""

import errno
from collections.abc import Callable

import pytest

from tertulia.sandbox.disk import Disk, ReadOnlyFiles

LENT = {"data/a.csv": b"1,2", "b.txt": b"b"}
TOOLS = {"mine.py": b"x = 1", "pack/__init__.py": b""}


def a_disk(*, size: int = 100, most: int = 5) -> Disk:
    disk = Disk(stat=lambda *facts: facts, fetch=LENT.get)
    disk.mount_job(
        {name: len(body) for name, body in LENT.items()},
        TOOLS,
        max_bytes=size,
        max_files=most,
        file_max_bytes=1000,
    )
    return disk


def refusal(act: Callable[[], object]) -> int | None:
    try:
        act()
    except OSError as refused:
        return refused.errno
    return None


def test_everything_lies_where_the_code_looks_for_it() -> None:
    disk = a_disk()

    assert disk.list("/") == [("project", "dir"), ("report", "dir"), ("tmp", "dir")]
    assert disk.list("/project/files") == [("b.txt", "file"), ("data", "dir")]
    assert disk.read("/project/files/data/a.csv") == b"1,2"
    assert ReadOnlyFiles(disk).read("/data/a.csv") == b"1,2"
    assert ReadOnlyFiles(disk).list("/") == disk.list("/project/files")
    assert disk.read("/project/tools/mine.py") == b"x = 1"
    assert disk.stat("/project/tools/pack")[:1] == ("dir",)
    assert disk.stat("/project/files/b.txt")[:2] == ("file", 1)


@pytest.mark.parametrize(
    "path", ["/project/files/b.txt", "/project/files/new", "/project/x", "/x", "/etc/passwd"]
)
def test_nothing_outside_its_own_folders_is_written(path: str) -> None:
    disk = a_disk()

    assert refusal(lambda: disk.write(path, b"x")) == errno.EROFS
    assert refusal(lambda: disk.mkdir(path)) == errno.EROFS
    assert refusal(lambda: disk.remove(path)) == errno.EROFS
    assert refusal(lambda: disk.rename("/project/tools/mine.py", path)) == errno.EROFS
    assert refusal(lambda: disk.rename(path, "/tmp/x")) == errno.EROFS


def test_what_is_asked_of_the_wrong_kind_of_thing_fails_as_on_any_disk() -> None:
    disk = a_disk()

    assert refusal(lambda: disk.read("/tmp/none")) == errno.ENOENT
    assert refusal(lambda: disk.read("/tmp")) == errno.EISDIR
    assert refusal(lambda: disk.list("/project/tools/mine.py")) == errno.ENOTDIR
    assert refusal(lambda: disk.stat("/project/tools/mine.py/x")) == errno.ENOTDIR
    assert refusal(lambda: disk.write("/project/tools/pack", b"")) == errno.EISDIR
    assert refusal(lambda: disk.write("/tmp/none/x", b"")) == errno.ENOENT
    assert refusal(lambda: disk.mkdir("/project/tools/pack")) == errno.EEXIST
    assert refusal(lambda: disk.rmdir("/project/tools/pack")) == errno.ENOTEMPTY
    assert refusal(lambda: disk.remove("/project/tools/pack")) == errno.EISDIR


def test_room_is_counted_in_bytes_and_files_and_given_back() -> None:
    disk = a_disk(size=100, most=2)

    disk.write("/tmp/a", b"x" * 60)
    assert refusal(lambda: disk.write("/tmp/b", b"x" * 60)) == errno.EDQUOT
    disk.write("/tmp/a", b"x" * 100)
    disk.mkdir("/tmp/folder")
    assert refusal(lambda: disk.write("/tmp/b", b"")) == errno.EDQUOT
    disk.rmdir("/tmp/folder")
    disk.write("/tmp/b", b"")
    disk.remove("/tmp/a")
    disk.rename("/tmp/b", "/tmp/c")
    disk.write("/tmp/c", b"x" * 100)
    assert disk.list("/tmp") == [("c", "file")]


def test_a_file_that_can_no_longer_be_read_is_an_error_of_the_disk() -> None:
    disk = Disk(stat=lambda *facts: facts, fetch=lambda _: None)
    disk.mount_job({"gone.txt": 3}, {}, max_bytes=1, max_files=1, file_max_bytes=10)

    assert refusal(lambda: disk.read("/project/files/gone.txt")) == errno.EIO


def test_a_file_that_fits_into_no_memory_is_not_even_asked_for() -> None:
    disk = Disk(stat=lambda *facts: facts, fetch=LENT.get)
    disk.mount_job({"b.txt": 11}, {}, max_bytes=1, max_files=1, file_max_bytes=10)

    assert refusal(lambda: disk.read("/project/files/b.txt")) == errno.EFBIG


def test_only_tools_that_are_new_or_changed_come_back() -> None:
    disk = a_disk()

    disk.write("/project/tools/mine.py", b"x = 1")
    disk.write("/project/tools/pack/__init__.py", b"y = 2")
    disk.write("/project/tools/new.py", b"z = 3")
    disk.write("/tmp/not_a_tool.py", b"")

    assert disk.changed_tools() == {"pack/__init__.py": b"y = 2", "new.py": b"z = 3"}
