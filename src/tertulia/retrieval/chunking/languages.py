"""Which language a file is written in, and which of them we can parse."""

import re
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language

NAMES_BY_LANGUAGE = {
    "bash": ".sh .bash .zsh .ksh .bats",
    "c": ".c .h",
    "clojure": ".clj .cljs .edn",
    "cpp": ".cc .cpp .cxx .c++ .hpp .hh .hxx .ipp .cu",
    "csharp": ".cs .csx",
    "css": ".css .scss .sass .less",
    "dart": ".dart",
    "dockerfile": ".dockerfile dockerfile containerfile",
    "elixir": ".ex .exs",
    "erlang": ".erl .hrl",
    "fsharp": ".fs .fsx",
    "go": ".go",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle",
    "haskell": ".hs",
    "html": ".html .htm",
    "ini": ".ini .cfg .conf .properties .env",
    "java": ".java",
    "javascript": ".js .mjs .cjs .jsx",
    "json": ".json .jsonc .json5 .ipynb",
    "julia": ".jl",
    "kotlin": ".kt .kts",
    "lisp": ".lisp .el .scm",
    "lua": ".lua",
    "makefile": ".mk makefile gnumakefile",
    "nix": ".nix",
    "ocaml": ".ml .mli",
    "perl": ".pl .pm",
    "php": ".php .phtml",
    "powershell": ".ps1 .psm1",
    "protobuf": ".proto",
    "python": ".py .pyi .pyw",
    "r": ".r",
    "ruby": ".rb .rake .gemspec rakefile gemfile",
    "rust": ".rs",
    "scala": ".scala .sc",
    "sql": ".sql",
    "svelte": ".svelte",
    "swift": ".swift",
    "terraform": ".tf .tfvars .hcl",
    "toml": ".toml",
    "tsx": ".tsx",
    "typescript": ".ts .mts .cts",
    "vue": ".vue",
    "xml": ".xml .xsd .xsl .svg",
    "yaml": ".yaml .yml",
    "zig": ".zig",
}
LANGUAGE_BY_FILE_NAME = {
    name: language for language, names in NAMES_BY_LANGUAGE.items() for name in names.split()
}
SHEBANG_PATTERN = re.compile(
    r"\ufeff?#![^\n]{0,200}?\b(python|bash|zsh|ksh|sh|node|deno|bun|ruby|perl|php|lua)[\d.]*\b"
)
LANGUAGE_BY_INTERPRETER = {
    "sh": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "node": "javascript",
    "deno": "typescript",
    "bun": "typescript",
}
#: What only C++ has, to tell its headers from those of C.
CPP_ONLY_PATTERN = re.compile(r"^\s*(?:class|namespace|template|using)\b", re.MULTILINE)
GRAMMAR_BY_LANGUAGE = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}


def detect_language(path: str, opening: str = "") -> str:
    """Return a file's language by its name, else by the `#!` it opens with; nothing when unknown."""
    file = PurePosixPath(path.lower())
    known = LANGUAGE_BY_FILE_NAME.get(file.suffix) or LANGUAGE_BY_FILE_NAME.get(file.name, "")
    if known == "c" and file.suffix == ".h" and CPP_ONLY_PATTERN.search(opening):
        return "cpp"
    shebang = None if known else SHEBANG_PATTERN.match(opening)
    return LANGUAGE_BY_INTERPRETER.get(shebang[1], shebang[1]) if shebang else known


@lru_cache(32)
def load_grammar(language: str) -> "Language | None":
    """Return a language's grammar, loaded once, or None when there is none."""
    if language not in GRAMMAR_BY_LANGUAGE:
        return None
    from tree_sitter import Language

    module, function = GRAMMAR_BY_LANGUAGE[language]
    pointer: object = getattr(import_module(module), function)()
    return Language(pointer)
