"""Reading OpenAPI documents: JSON or YAML, of version 3. Nothing that they name is fetched."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tertulia.core.errors import Invalid
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.tools.catalogue import LONGEST_FOREIGN_NAME, one_line
from tertulia.tools.catalogue_schema import Plain, plain_parameters
from tertulia.tools.http.operations import BODY, Operation, Sent, Where

LARGEST_DOCUMENT = 2_000_000
MOST_OPERATIONS = 300
LONGEST_DESCRIPTION = 2_000
LONGEST_KINDS = 100
#: What YAML may hold: it takes far longer to read than JSON.
DEEPEST = 100
MOST_TOKENS = 500_000
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
#: Headers that are ours to set.
OWN_HEADERS = frozenset(
    {"host", "authorization", "cookie", "content-type", "content-length", "accept", "connection"}
    | {"transfer-encoding", "proxy-authorization", "accept-encoding", "upgrade", "te", "expect"}
)

Json = Mapping[str, Any]


class DocumentInvalid(Invalid):
    """A text that is no OpenAPI document we can read."""

    code = "openapi_invalid"


@dataclass(frozen=True, slots=True)
class Described:
    """A web service as its document describes it."""

    title: str
    #: Where it is; empty where the document does not say so in full.
    base_url: str
    operations: list[Operation]


def read_document(text: str) -> Described:
    """Return the service that a document describes, or raise."""
    document = parsed(text)
    if not str(document.get("openapi", "")).startswith("3."):
        raise DocumentInvalid("This is no OpenAPI document of version 3: it must begin with openapi: 3.…")
    operations = list(unique(operations_of(document)))
    if not operations:
        raise DocumentInvalid("The document describes no operation.")
    if len(operations) > MOST_OPERATIONS:
        raise DocumentInvalid(f"The document has more than {MOST_OPERATIONS} operations: send a part of it.")
    info = mapping(document.get("info"))
    return Described(one_line(str(info.get("title") or "Untitled"), 100), server_of(document), operations)


def parsed(text: str) -> Json:
    """Return a document's content, from JSON or else from YAML without its traps."""
    if len(text.encode("utf-8", "replace")) > LARGEST_DOCUMENT:
        raise DocumentInvalid(f"A document may have at most {LARGEST_DOCUMENT // 1_000_000} MB.")
    try:
        content: object = read_json(text)
    except JsonUnreadable:
        content = from_yaml(text)
    if not isinstance(content, Mapping):
        raise DocumentInvalid("The document is neither JSON nor YAML with names and values.")
    return cast("Json", content)


def from_yaml(text: str) -> object:
    """Return what YAML says, if it is not made to keep us busy."""
    import yaml  # noqa: PLC0415 - needed only while a document is read

    try:
        check_tokens(cast("Iterator[object]", yaml.scan(text, Loader=fast_loader())))
        return yaml.load(text, Loader=fast_loader())  # noqa: S506 - both loaders are safe ones
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DocumentInvalid("The document is neither valid JSON nor valid YAML.") from error


def check_tokens(tokens: Iterator[object]) -> None:
    """Raise at aliases, of which a few lines can fill any memory, and where it is too deep or too much."""
    depth = 0
    for number, token in enumerate(tokens):
        kind = type(token).__name__
        depth += kind.endswith(("SequenceStartToken", "MappingStartToken"))
        depth -= kind in ("BlockEndToken", "FlowSequenceEndToken", "FlowMappingEndToken")
        if kind == "AliasToken":
            raise DocumentInvalid("The document uses YAML aliases (*name), which are not read.")
        if depth > DEEPEST or number > MOST_TOKENS:
            raise DocumentInvalid("The document is too deep or too long as YAML: send it as JSON.")


def fast_loader() -> Any:
    """Return the loader that makes plain values only, in C where there is one."""
    import yaml  # noqa: PLC0415 - see above

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def operations_of(document: Json) -> Iterator[Operation]:
    """Yield the operations of a document in its order."""
    plain = Plain(document)
    for path, item in mapping(document.get("paths")).items():
        if not str(path).startswith("/"):
            continue
        whole = plain.found(mapping(item))
        for method in METHODS:
            if isinstance(said := whole.get(method), Mapping):
                shared = [*listed(whole.get("parameters")), *listed(cast("Json", said).get("parameters"))]
                yield operation_of(document, str(path), method, cast("Json", said), shared)


def operation_of(document: Json, path: str, method: str, said: Json, given: list[object]) -> Operation:
    """Return one operation with all its arguments as one schema."""
    plain = Plain(document)
    places: dict[str, Where] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for one in given:
        parameter = plain.found(mapping(one))
        name, where = str(parameter.get("name") or ""), parameter.get("in")
        if not name or name == BODY or where not in list(Where) or name.lower() in OWN_HEADERS:
            continue
        places[name] = Where(where)
        described = {key: parameter[key] for key in ("description",) if key in parameter}
        properties[name] = {**mapping(parameter.get("schema")), **described}
        if parameter.get("required") is True or where == Where.PATH:
            required.append(name)
    body = body_of(plain.found(mapping(said.get("requestBody"))))
    if body.schema is not None:
        properties[BODY] = body.schema
    if body.required:
        required.append(BODY)
    schema = {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
    name = str(said.get("operationId") or f"{method}_{path.strip('/')}")[:LONGEST_FOREIGN_NAME]
    words = f"{body.problem} {said.get('summary') or ''} {said.get('description') or ''}"
    about = one_line(words, LONGEST_DESCRIPTION)
    plain_schema = plain_parameters(schema, document)
    return Operation(name, method.upper(), path, about, plain_schema, places, body.sent, body.problem)


@dataclass(frozen=True, slots=True)
class Body:
    """What an operation takes as its body; without a schema none is sent."""

    schema: Json | None = None
    sent: Sent = Sent.JSON
    required: bool = False
    problem: str = ""


def body_of(request: Json) -> Body:
    """Return the body that an operation takes: JSON where it may be, or else a form."""
    required = request.get("required") is True
    content = {str(kind).lower(): mapping(said) for kind, said in mapping(request.get("content")).items()}
    for sent, mark in ((Sent.JSON, "json"), (Sent.FORM, Sent.FORM), (Sent.JSON, "*/*")):
        for kind, said in content.items():
            if mark in kind:
                return Body(mapping(said.get("schema")), sent, required)
    if content and required:
        kinds = one_line(", ".join(content), LONGEST_KINDS)
        return Body(problem=f"(Cannot be used: it takes only {kinds}, which is not sent.)")
    return Body()


def unique(operations: Iterator[Operation]) -> Iterator[Operation]:
    """Yield operations without those whose name was there before."""
    seen: set[str] = set()
    for one in operations:
        if one.name not in seen:
            seen.add(one.name)
            yield one


def server_of(document: Json) -> str:
    """Return where a service says that it is, if it says so in full."""
    servers = listed(document.get("servers"))
    url = str(mapping(servers[0]).get("url") or "") if servers else ""
    return url.rstrip("/") if url.startswith(("https://", "http://")) and "{" not in url else ""


def mapping(value: object) -> Json:
    """Return names and values; none where it is something else."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def listed(value: object) -> list[object]:
    """Return a list; an empty one where it is something else."""
    return cast("list[object]", value) if isinstance(value, list) else []
