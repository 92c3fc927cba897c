"""Answers of WebDAV as values: read without entities, without network, and whole or not at all."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
CALENDAR_SERVER = "{http://calendarserver.org/ns/}"
APPLE = "{http://apple.com/ns/ical/}"

#: How the namespaces are written in our own questions.
NAMESPACES = (
    'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/" '
    'xmlns:i="http://apple.com/ns/ical/"'
)


class NotMultistatus(ValueError):
    """A text is no answer of WebDAV, or only half of one."""


@dataclass(frozen=True, slots=True)
class DavProperty:
    """One property of a resource: its own text, and the elements in it."""

    text: str = ""
    #: The names of the elements anywhere below, in order.
    names: tuple[str, ...] = ()
    #: The addresses in it.
    hrefs: tuple[str, ...] = ()
    #: The attribute `name` of the elements directly below, as `supported-calendar-component-set` has it.
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DavResource:
    """What an answer says of one resource."""

    href: str
    status: int
    properties: Mapping[str, DavProperty] = field(default_factory=dict[str, DavProperty])

    def text(self, name: str) -> str:
        """Return the text of a property; empty where it has none."""
        found = self.properties.get(name)
        return found.text if found else ""

    def href_of(self, name: str) -> str:
        """Return the address that a property holds; empty where it has none."""
        found = self.properties.get(name)
        return found.hrefs[0] if found and found.hrefs else ""


@dataclass(frozen=True, slots=True)
class Multistatus:
    """What a server says of several resources."""

    resources: tuple[DavResource, ...]
    sync_token: str = ""


def parse_xml(content: bytes) -> Any:
    """Return the root of a document; entities, other files and half documents are refused."""
    etree: Any = importlib.import_module("lxml.etree")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise NotMultistatus(str(error)) from None
    if root.getroottree().docinfo.doctype:
        raise NotMultistatus("a document type has no place here")
    return root


def parse_multistatus(content: bytes) -> Multistatus:
    """Return the resources that an answer tells of, or raise `NotMultistatus`."""
    root = parse_xml(content)
    if root.tag != f"{DAV}multistatus":
        raise NotMultistatus("the answer is no multistatus")
    resources = tuple(
        resource for element in root.iterchildren(f"{DAV}response") for resource in read_response(element)
    )
    return Multistatus(resources, own_text(root.find(f"{DAV}sync-token")))


def parse_precondition(content: bytes) -> str:
    """Return the name of the precondition that an error names, such as `valid-sync-token`; empty if none."""
    try:
        root = parse_xml(content)
    except NotMultistatus:
        return ""
    if root.tag != f"{DAV}error":
        return ""
    return next((local_name(child.tag) for child in root.iterchildren(tag="{*}*")), "")


def read_response(element: Any) -> Iterator[DavResource]:
    """Yield what one response says: a status for all its addresses, or the properties of one."""
    hrefs = [own_text(child) for child in element.iterchildren(f"{DAV}href")]
    status = parse_status(own_text(element.find(f"{DAV}status")))
    if status:
        yield from (DavResource(href, status) for href in hrefs)
        return
    properties: dict[str, DavProperty] = {}
    for group in element.iterchildren(f"{DAV}propstat"):
        if parse_status(own_text(group.find(f"{DAV}status"))) == 200:
            found = group.find(f"{DAV}prop")
            if found is not None:
                properties |= {child.tag: read_property(child) for child in found.iterchildren(tag="{*}*")}
    if hrefs:
        yield DavResource(hrefs[0], 200, properties)


def read_property(element: Any) -> DavProperty:
    """Return a property as a value."""
    below = list(element.iterdescendants(tag="{*}*"))
    return DavProperty(
        own_text(element),
        tuple(child.tag for child in below),
        tuple(own_text(child) for child in below if child.tag == f"{DAV}href"),
        tuple(child.get("name", "") for child in element.iterchildren(tag="{*}*")),
    )


def parse_status(line: str) -> int:
    """Return the number in a line such as `HTTP/1.1 404 Not Found`; 0 where there is none."""
    parts = line.split()
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


def own_text(element: Any) -> str:
    """Return the text of an element; empty where there is none."""
    return (element.text or "").strip() if element is not None else ""


def local_name(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition("}")[2]
