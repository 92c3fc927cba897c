"""Reading OpenAPI documents: JSON or YAML, of version 3. Nothing that they name is fetched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from tertulia.core.errors import Invalid
from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.tools.external_tools import EXTERNAL_NAME_MAX_CHARS, one_line
from tertulia.tools.http.operations import BODY_ARGUMENT, BodyEncoding, Operation, ParameterLocation
from tertulia.tools.schema_simplifier import SchemaSimplifier, simplify_parameters

OPENAPI_DOCUMENT_MAX_BYTES = 2_000_000
OPENAPI_OPERATIONS_MAX = 300
OPERATION_DESCRIPTION_MAX_CHARS = 2_000
CONTENT_TYPES_MAX_CHARS = 100
#: What YAML may hold: it takes far longer to read than JSON.
YAML_MAX_DEPTH = 100
YAML_MAX_TOKENS = 500_000
OPERATION_METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
#: Headers that are ours to set.
HTTP_TOOL_RESERVED_HEADERS = frozenset(
    {"host", "authorization", "cookie", "content-type", "content-length", "accept", "connection"}
    | {"transfer-encoding", "proxy-authorization", "accept-encoding", "upgrade", "te", "expect"}
)


class OpenApiInvalid(Invalid):
    """A text that is no OpenAPI document we can read."""

    code = "openapi_invalid"


@dataclass(frozen=True, slots=True)
class ServiceDescription:
    """A web service as its document describes it."""

    title: str
    #: Where it is; empty where the document does not say so in full.
    base_url: str
    operations: list[Operation]


def read_document(text: str) -> ServiceDescription:
    """Return the service that a document describes, or raise."""
    document = parse_document(text)
    if not str(document.get("openapi", "")).startswith("3."):
        raise OpenApiInvalid("This is no OpenAPI document of version 3: it must begin with openapi: 3.…")
    operations = list(drop_duplicates(operations_of(document)))
    if not operations:
        raise OpenApiInvalid("The document describes no operation.")
    if len(operations) > OPENAPI_OPERATIONS_MAX:
        raise OpenApiInvalid(
            f"The document has more than {OPENAPI_OPERATIONS_MAX} operations: send a part of it."
        )
    info = as_mapping(document.get("info"))
    return ServiceDescription(
        one_line(str(info.get("title") or "Untitled"), 100), base_url_of(document), operations
    )


def parse_document(text: str) -> JsonObject:
    """Return a document's content, from JSON or else from YAML without its traps."""
    if len(text.encode("utf-8", "replace")) > OPENAPI_DOCUMENT_MAX_BYTES:
        raise OpenApiInvalid(f"A document may have at most {OPENAPI_DOCUMENT_MAX_BYTES // 1_000_000} MB.")
    try:
        content: object = read_json(text)
    except JsonUnreadable:
        content = parse_yaml(text)
    if not isinstance(content, dict):
        raise OpenApiInvalid("The document is neither JSON nor YAML with names and values.")
    return cast("JsonObject", content)


def parse_yaml(text: str) -> object:
    """Return what YAML says, if it is not made to keep us busy."""
    import yaml

    try:
        check_tokens(cast("Iterator[object]", yaml.scan(text, Loader=yaml_loader())))
        return yaml.load(text, Loader=yaml_loader())  # noqa: S506 - both loaders are safe ones
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise OpenApiInvalid("The document is neither valid JSON nor valid YAML.") from error


def check_tokens(tokens: Iterator[object]) -> None:
    """Raise at aliases, of which a few lines can fill any memory, and where it is too deep or too much."""
    depth = 0
    for number, token in enumerate(tokens):
        kind = type(token).__name__
        depth += kind.endswith(("SequenceStartToken", "MappingStartToken"))
        depth -= kind in ("BlockEndToken", "FlowSequenceEndToken", "FlowMappingEndToken")
        if kind == "AliasToken":
            raise OpenApiInvalid("The document uses YAML aliases (*name), which are not read.")
        if depth > YAML_MAX_DEPTH or number > YAML_MAX_TOKENS:
            raise OpenApiInvalid("The document is too deep or too long as YAML: send it as JSON.")


def yaml_loader() -> Any:
    """Return the loader that makes plain values only, in C where there is one."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def operations_of(document: JsonObject) -> Iterator[Operation]:
    """Yield the operations of a document in its order."""
    plain = SchemaSimplifier(document)
    for path, item in as_mapping(document.get("paths")).items():
        if not str(path).startswith("/"):
            continue
        whole = plain.resolve_references(as_mapping(item))
        for method in OPERATION_METHODS:
            if isinstance(said := whole.get(method), dict):
                shared = [
                    *as_object_list(whole.get("parameters")),
                    *as_object_list(cast("JsonObject", said).get("parameters")),
                ]
                yield build_operation(document, str(path), method, cast("JsonObject", said), shared)


def build_operation(
    document: JsonObject, path: str, method: str, said: JsonObject, given: list[object]
) -> Operation:
    """Return one operation with all its arguments as one schema."""
    plain = SchemaSimplifier(document)
    places: dict[str, ParameterLocation] = {}
    properties: JsonObject = {}
    required: list[str] = []
    for described_parameter in given:
        parameter = plain.resolve_references(as_mapping(described_parameter))
        name, where = str(parameter.get("name") or ""), parameter.get("in")
        if (
            not name
            or name == BODY_ARGUMENT
            or where not in list(ParameterLocation)
            or name.lower() in HTTP_TOOL_RESERVED_HEADERS
        ):
            continue
        places[name] = ParameterLocation(where)
        described = {key: parameter[key] for key in ("description",) if key in parameter}
        properties[name] = {**as_mapping(parameter.get("schema")), **described}
        if parameter.get("required") is True or where == ParameterLocation.PATH:
            required.append(name)
    body = request_body_of(plain.resolve_references(as_mapping(said.get("requestBody"))))
    if body.schema is not None:
        properties[BODY_ARGUMENT] = body.schema
    if body.required:
        required.append(BODY_ARGUMENT)
    schema = {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
    name = str(said.get("operationId") or f"{method}_{path.strip('/')}")[:EXTERNAL_NAME_MAX_CHARS]
    words = f"{body.problem} {said.get('summary') or ''} {said.get('description') or ''}"
    about = one_line(words, OPERATION_DESCRIPTION_MAX_CHARS)
    plain_schema = simplify_parameters(schema, document)
    return Operation(name, method.upper(), path, about, plain_schema, places, body.sent, body.problem)


@dataclass(frozen=True, slots=True)
class OperationBody:
    """What an operation takes as its body; without a schema none is sent."""

    schema: JsonObject | None = None
    sent: BodyEncoding = BodyEncoding.JSON
    required: bool = False
    problem: str = ""


def request_body_of(request: JsonObject) -> OperationBody:
    """Return the body that an operation takes: JSON where it may be, or else a form."""
    required = request.get("required") is True
    content = {
        str(kind).lower(): as_mapping(said) for kind, said in as_mapping(request.get("content")).items()
    }
    for sent, mark in (
        (BodyEncoding.JSON, "json"),
        (BodyEncoding.FORM, BodyEncoding.FORM),
        (BodyEncoding.JSON, "*/*"),
    ):
        for kind, said in content.items():
            if mark in kind:
                return OperationBody(as_mapping(said.get("schema")), sent, required)
    if content and required:
        kinds = one_line(", ".join(content), CONTENT_TYPES_MAX_CHARS)
        return OperationBody(problem=f"(Cannot be used: it takes only {kinds}, which is not sent.)")
    return OperationBody()


def drop_duplicates(operations: Iterator[Operation]) -> Iterator[Operation]:
    """Yield operations without those whose name was there before."""
    seen: set[str] = set()
    for operation in operations:
        if operation.name not in seen:
            seen.add(operation.name)
            yield operation


def base_url_of(document: JsonObject) -> str:
    """Return where a service says that it is, if it says so in full."""
    servers = as_object_list(document.get("servers"))
    url = str(as_mapping(servers[0]).get("url") or "") if servers else ""
    return url.rstrip("/") if url.startswith(("https://", "http://")) and "{" not in url else ""


def as_mapping(value: object) -> JsonObject:
    """Return names and values; none where it is something else."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_object_list(value: object) -> list[object]:
    """Return a list; an empty one where it is something else."""
    return cast("list[object]", value) if isinstance(value, list) else []
