"""How large a request may be: one that brings files may be larger than others."""

import re

from starlette.types import Scope

from tertulia.files.errors import UploadTooLarge
from tertulia.infra.http.hardening import LARGEST_BODY, Room

BRINGS_FILES = re.compile(r"/api/projects/[^/]+/files(/[^/]+)?")
#: What a form has besides its files.
FRAME = 1_000_000


def room_for_files(largest_file: int) -> Room:
    """Return how much is taken where files are sent: as much as the largest file has, and never less."""
    largest = max(largest_file, LARGEST_BODY) + FRAME
    return Room(largest, brings_files, lambda: UploadTooLarge(largest))


def brings_files(scope: Scope) -> bool:
    """Tell whether a request may bring files."""
    return scope["method"] in ("POST", "PUT") and BRINGS_FILES.fullmatch(scope["path"]) is not None
