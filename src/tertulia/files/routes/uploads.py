"""Sending files: a form with many, one text as JSON, or the bytes of one.

Who asks is known before a byte of the body is read: that is why the bodies are
read here and not by the framework.
"""

from collections.abc import AsyncIterator
from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal
from tertulia.files.errors import FileTooLarge, UploadInvalid
from tertulia.files.routes.dependencies import FILES_PATH, FilesPart, IfMatch
from tertulia.files.routes.form_upload import FormUpload
from tertulia.files.routes.multipart_form import PartBegan, PartData, PartEnded, read_form
from tertulia.files.schemas import FileView, NewFile, NewText, UploadView
from tertulia.files.service import Files
from tertulia.files.spool import ReceivedFile
from tertulia.files.upload_batch import UploadBatch, UploadTarget
from tertulia.files.upload_limits import UPLOAD_BODY_LIMIT
from tertulia.infra.http.body_limits import body_limit, parse_json
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.projects import access as projects

JSON_UPLOAD_MAX_BYTES = 20_000_000
BINARY_SCHEMA = {"type": "string", "format": "binary"}
UPLOAD_FORM_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "prefix": {"type": "string", "description": "The folder that everything goes to; before the files."},
        "unpack": {"type": "boolean", "description": "Whether zip archives are unpacked; before the files."},
        "files": {"type": "array", "items": BINARY_SCHEMA, "description": "The name of each is its path."},
    },
    "required": ["files"],
}
SINGLE_FILE_FORM_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"file": BINARY_SCHEMA},
    "required": ["file"],
}
M = TypeVar("M", bound=BaseModel)

router = Router(prefix=FILES_PATH, tags=["files"])


def describe_body(**forms: JsonObject) -> JsonObject:
    """Describe a body that may come in several forms."""
    content = {
        name.replace("__", "/").replace("_", "-"): {"schema": schema} for name, schema in forms.items()
    }
    return {"requestBody": {"required": True, "content": content}}


#: What an upload may be, as the API's description says it.
UPLOAD_FORMS = describe_body(
    application__json=NewFile.model_json_schema(), multipart__form_data=UPLOAD_FORM_SCHEMA
)


@router.post(
    "",
    status_code=201,
    openapi_extra=UPLOAD_FORMS,
)
@body_limit(UPLOAD_BODY_LIMIT)
async def upload_files(
    *, project_id: str, request: Request, me: Member, db: Db, files: FilesPart, if_match: IfMatch = None
) -> UploadView:
    """Send files, or one text as JSON. A file whose path is taken becomes the next version of what is there.

    Each file is kept by itself: one that cannot be kept is told of in `skipped`
    and does not stop the others.
    """
    await db.read(lambda tx: projects.get(tx, project_id), by=me)
    return await receive_upload(request, UploadTarget(project_id, if_match=if_match), files=files, by=me)


async def receive_upload(
    request: Request, target: UploadTarget, *, files: Files, by: Principal
) -> UploadView:
    """Take in the files of a form, or one text as JSON, and tell how each went."""
    kind = body_content_type(request)
    if kind == "multipart/form-data":
        batch = UploadBatch(files, by=by)
        await FormUpload(batch, files.spool, target).receive(read_form(request))
        return UploadView.model_validate(await batch.finish())
    if kind != "application/json":
        raise UploadInvalid("Send files as multipart/form-data, or one text as application/json.")
    new = await read_json(request, NewFile)
    metadata = {name: value for name, value in omit_unset(new).items() if name not in ("path", "content")}
    file = await files.save(
        target.project_id,
        new.path,
        await receive_text(new.content, files),
        by=by,
        conversation_id=target.conversation_id,
        if_match=target.if_match,
        metadata=metadata,
    )
    return UploadView(files=[FileView.model_validate(file)], skipped=[])


@router.put(
    "/{file_id}",
    openapi_extra=describe_body(
        application__json=NewText.model_json_schema(),
        multipart__form_data=SINGLE_FILE_FORM_SCHEMA,
        application__octet_stream=BINARY_SCHEMA,
    ),
)
@body_limit(UPLOAD_BODY_LIMIT)
async def replace_file(
    *, project_id: str, file_id: str, request: Request, me: Member, files: FilesPart, if_match: IfMatch = None
) -> FileView:
    """Make a text (JSON), the one file of a form, or the bytes of the body a file's next version."""
    await files.get(project_id, file_id, by=me)
    kind = body_content_type(request)
    if kind == "application/json":
        data = await receive_text((await read_json(request, NewText)).content, files)
    elif kind == "multipart/form-data":
        data = await files.receive(stream_single_file(request))
    else:
        data = await files.receive(request.stream())
    return FileView.model_validate(
        await files.replace_file(project_id, file_id, data, by=me, if_match=if_match)
    )


def body_content_type(request: Request) -> str:
    """Return what a request says its body is."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_json(request: Request, schema: type[M]) -> M:
    """Read a body of JSON, which must not be large, and check it."""
    data = bytearray()
    async for block in request.stream():
        data += block
        if len(data) > JSON_UPLOAD_MAX_BYTES:
            raise FileTooLarge(JSON_UPLOAD_MAX_BYTES)
    try:
        return schema.model_validate(parse_json(data))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise RequestValidationError(
            [{**error_detail, "loc": ("body", *error_detail["loc"])} for error_detail in found]
        ) from error


async def receive_text(text: str, files: Files) -> ReceivedFile:
    """Take in a text that came as JSON."""

    async def whole() -> AsyncIterator[bytes]:
        yield text.encode()

    return await files.receive(whole())


async def stream_single_file(request: Request) -> AsyncIterator[bytes]:
    """Yield the bytes of the one file in a form."""
    inside, met = False, False
    async for event in read_form(request):
        match event:
            case PartBegan(filename=filename):
                if met and filename is not None:
                    raise UploadInvalid("Send one file: this replaces one.")
                inside = filename is not None
                met = met or inside
            case PartData(block):
                if inside:
                    yield block
            case PartEnded():
                inside = False
    if not met:
        raise UploadInvalid("The form holds no file.")
