"""What a parser calls a definition, in any of our languages, and what to call it in turn."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tertulia.core.truncation import truncate

if TYPE_CHECKING:
    from tree_sitter import Node

#: What each grammar calls its definitions; the names do not clash, so one set serves all.
DEFINITION_NODES_BY_LANGUAGE = {
    "python": "function_definition class_definition decorated_definition",
    "javascript": "function_declaration generator_function_declaration class_declaration method_definition",
    "typescript": "abstract_class_declaration interface_declaration enum_declaration type_alias_declaration "
    "internal_module module function_signature ambient_declaration",
    "go": "method_declaration type_declaration",
    "rust": "function_item struct_item enum_item union_item trait_item impl_item mod_item macro_definition "
    "function_signature_item foreign_mod_item",
    "java": "record_declaration annotation_type_declaration constructor_declaration "
    "compact_constructor_declaration",
    "c": "type_definition struct_specifier union_specifier enum_specifier preproc_function_def",
    "cpp": "class_specifier namespace_definition template_declaration linkage_specification",
    "csharp": "struct_declaration namespace_declaration delegate_declaration property_declaration "
    "operator_declaration destructor_declaration",
    "php": "trait_declaration",
    "ruby": "class method singleton_method singleton_class",
}
DEFINITION_NODES = frozenset(
    name for names in DEFINITION_NODES_BY_LANGUAGE.values() for name in names.split()
)
DEFINITION_WRAPPER_NODES = frozenset(
    (
        "decorated_definition",
        "export_statement",
        "template_declaration",
        "expression_statement",
        "ambient_declaration",
    )
)
CONTAINER_NODE_PATTERN = re.compile(
    r"^class|_class|class_|impl_item|trait|mod_item|module|namespace|record_|linkage|struct_decl"
)
FUNCTION_VALUE_NODES = frozenset(
    ("arrow_function", "function_expression", "function", "class", "generator_function")
)
VARIABLE_NODES = frozenset(("lexical_declaration", "variable_declaration"))
WRAPPABLE_NODES = DEFINITION_NODES | DEFINITION_WRAPPER_NODES | VARIABLE_NODES
#: What stands before a definition and belongs to it.
LEADING_NODE_PATTERN = re.compile(r"comment|attribute_item|^decorator|^attribute_list$|pragma|preproc_call")
ANNOTATION_PATTERN = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*|^\s*(?:\[[^\[\]]*\]\s*)+")
DEFINITION_TITLE_MAX_CHARS = 80
#: How far a wrapped definition or a C declarator is followed.
WRAPPED_NODE_DEPTH_MAX = 8


def unwrap_definition(node: "Node") -> "Node":
    """Return the definition inside its decorators, `export` or template."""
    for _ in range(WRAPPED_NODE_DEPTH_MAX):
        if node.type not in DEFINITION_WRAPPER_NODES:
            break
        inner = next((child for child in last_children(node) if child.type in WRAPPABLE_NODES), None)
        if inner is None:
            break
        node = inner
    return node


def last_children(node: "Node") -> Iterator["Node"]:
    """Yield the last few named children of a node, the last first."""
    count = node.named_child_count
    for number in range(count - 1, max(count - 4, 0) - 1, -1):
        if child := node.named_child(number):
            yield child


def is_definition(node: "Node") -> bool:
    """Return whether a node defines something that people look for by name."""
    inner = unwrap_definition(node)
    return inner.type in DEFINITION_NODES or (inner.type in VARIABLE_NODES and is_function_variable(inner))


def is_function_variable(variables: "Node") -> bool:
    """Return whether a variable is made to hold a function or a class."""
    values = (child.child_by_field_name("value") for child in variables.named_children[:3])
    return any(value is not None and value.type in FUNCTION_VALUE_NODES for value in values)


def is_container(node: "Node") -> bool:
    """Return whether a definition's members are definitions themselves."""
    return bool(CONTAINER_NODE_PATTERN.search(unwrap_definition(node).type))


def definition_title(node: "Node", source: bytes) -> str:
    """Return a definition's title as it is written, up to its name: `class Foo`, `pub fn area`."""
    inner = unwrap_definition(node)
    name = definition_name_node(inner)
    end = name.end_byte if name else inner.start_byte + 2 * DEFINITION_TITLE_MAX_CHARS
    written = source[inner.start_byte : min(end, inner.start_byte + 1_000)].decode("utf-8", "replace")
    if name is None:
        written = written.split("\n", 1)[0].rstrip(" \t\r={([:,")
    title = " ".join(ANNOTATION_PATTERN.sub("", written).split())
    return truncate(title, DEFINITION_TITLE_MAX_CHARS)


def definition_name_node(node: "Node") -> "Node | None":
    """Return where a definition's name stands: some languages hide it in a declarator."""
    if node.type in VARIABLE_NODES:
        node = node.named_children[0] if node.named_children else node
    for _ in range(WRAPPED_NODE_DEPTH_MAX):
        found = node.child_by_field_name("name")
        if found is None and node.type == "impl_item":
            found = node.child_by_field_name("type")
        if found is not None:
            return found
        inner = node.child_by_field_name("declarator")
        if inner is None:
            return node if "identifier" in node.type else None
        node = inner
    return None
