"""A check that passed is passed over until one of its files has changed."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts import run_if_changed, setup


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file, and `log.txt` where every run is noted."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("good")
    (tmp_path / ".gitignore").write_text(".cache/\nlog.txt\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(monkeypatch: pytest.MonkeyPatch, *, meanwhile: str = "") -> bool:
    """Tell whether a check passed that wants every file to be good; `meanwhile` is code that runs in it."""
    script = f"""
import pathlib, sys
log = pathlib.Path("log.txt")
log.write_text((log.read_text() if log.exists() else "") + "run ")
files = [path.read_text() for path in pathlib.Path("src").iterdir()]
{meanwhile}
sys.exit(any(text != "good" for text in files))"""
    command = [sys.executable, "-c", script]
    monkeypatch.setattr(sys, "argv", ["run_if_changed", "types", "src", "--", *command])
    return run_if_changed.main() == 0


def runs(folder: Path) -> int:
    return len((folder / "log.txt").read_text().split())


def test_what_passed_runs_again_once_a_file_is_changed_added_or_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(monkeypatch)
    assert check(monkeypatch)
    assert runs(folder) == 1
    (folder / "src" / "b.py").write_text("good")
    assert check(monkeypatch)
    (folder / "src" / "a.py").unlink()
    assert check(monkeypatch)
    assert runs(folder) == 3


def test_what_failed_runs_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "src" / "a.py").write_text("bad")
    assert not check(monkeypatch)
    assert not check(monkeypatch)
    assert runs(folder) == 2


def test_a_change_while_the_check_runs_is_not_taken_for_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(monkeypatch, meanwhile='pathlib.Path("src/a.py").write_text("bad")')
    assert not check(monkeypatch)


def test_what_passed_runs_again_after_packages_were_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "web").mkdir()
    (folder / "web" / "package-lock.json").write_text("{}")
    monkeypatch.setattr(setup, "ROOT", folder)
    monkeypatch.setattr(setup, "VENV", folder)
    monkeypatch.setattr(setup, "node", lambda *_arguments: None)
    assert check(monkeypatch)
    setup.install_node_packages()
    assert check(monkeypatch)
    assert runs(folder) == 2
