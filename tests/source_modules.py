"""The modules of the source tree, read and parsed once for all tests that look at them."""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import tertulia

ROOT = Path(tertulia.__file__).parent


@dataclass(frozen=True, slots=True)
class SourceModule:
    """What a module says, and every node of its syntax tree."""

    text: str
    nodes: list[ast.AST]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the module that a text is."""
        return cls(text, list(ast.walk(ast.parse(text))))

    @property
    def tree(self) -> ast.Module:
        """The root of the nodes."""
        (root, *_) = self.nodes
        assert isinstance(root, ast.Module)
        return root

    @property
    def texts(self) -> list[tuple[str, bool]]:
        """The string literals, and which of them are documentation."""
        documentation = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        return [
            (node.value, id(node) in documentation)
            for node in self.nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]


SOURCES = {
    path.relative_to(ROOT): SourceModule.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))
}
