"""What the routes of files share, and are given."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from tertulia.core.errors import Invalid
from tertulia.files.service import Files
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.schema import ValidUnicode

#: Where the files of a project are.
FILES_PATH = "/api/projects/{project_id}/files"


async def _files(request: Request) -> Files:
    return get_part(request, Files)


async def _range(
    start_line: Annotated[int, Query(ge=1, le=2**31)] = 1,
    end_line: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> tuple[int, int | None]:
    if end_line is not None and end_line < start_line:
        raise Invalid("end_line must not be smaller than start_line.")
    return start_line, end_line


FilesPart = Annotated[Files, Depends(_files)]
LineRange = Annotated[tuple[int, int | None], Depends(_range)]
VersionNumber = Annotated[int, Path(ge=1, le=2**31)]
IfMatch = Annotated[
    int | None,
    Query(
        ge=0, le=2**31, description="The version that the change was made from; 0 when there must be none."
    ),
]
PrefixQuery = Annotated[str, Query(max_length=4096), ValidUnicode]
