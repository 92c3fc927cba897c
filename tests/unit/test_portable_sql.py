"""SQL stays within what SQLite and PostgreSQL share, outside of the modules that stand for SQLite itself."""

import re

import pytest
from tests.source_modules import ROOT, SOURCES, SourceModule

#: Words and forms of SQLite's SQL that PostgreSQL has not, or means differently.
SQLITE_ONLY = re.compile(
    r"""\b(?:json_\w+ | json | bm25 | char | datetime | glob | group_concat | hex | iif | ifnull | instr
          | julianday | last_insert_rowid | likelihood | likely | printf | quote | randomblob | sqlite_\w+
          | strftime | total | typeof | unixepoch | zeroblob)\(
      | \b(?:max|min)\([^()]*,
      | \b(?:sqlite_(?:schema|master|sequence|stat1) | pragma_\w+ | rowid | fts5 | chunk_words\w*)\b
      | \b(?:PRAGMA | MATCH | GLOB | REGEXP | INDEXED | NOCASE | REPLACE\ INTO | AUTOINCREMENT)\b
      | \b(?:INSERT|UPDATE)\ OR\b
      | \bCROSS\ JOIN\s+\w+(?:\s+AS\s+\w+)?\s+ON\b
      | \bIS\ (?:NOT\ )?:\w+
      | :\w+\ IS\ (?:NOT\ )?NULL
      | \bsubstr\([^()]*,\ *:\w+\)
      | \b(?:AND|OR|NOT|WHERE|WHEN)\ :\w+\s*(?:\)|$|AND\b|OR\b|THEN\b)
      | \bLIMIT\ -1\b
      | \b\w+\ ==\ :\w+""",
    re.VERBOSE,
)
#: Folders that stand for an engine.
ENGINE_FOLDERS = {("infra", "db"), ("retrieval", "sqlite"), ("retrieval", "postgres")}
#: Other modules that need SQLite itself, and why.
EXCEPTIONS = {
    "cli/database_copy.py": "copies and checks the file of a database",
}


def sqlite_words(module: SourceModule) -> set[str]:
    """Return what the SQL of a module has that only SQLite understands."""
    literals = [text for text, is_documentation in module.texts if not is_documentation]
    return {found[0] for text in literals for found in SQLITE_ONLY.finditer(text)}


def test_only_named_modules_use_sql_of_sqlite_alone() -> None:
    used = {
        path.as_posix(): words
        for path, module in SOURCES.items()
        if path.parts[:2] not in ENGINE_FOLDERS and (words := sqlite_words(module))
    }
    assert {path: words for path, words in used.items() if path not in EXCEPTIONS} == {}
    assert used.keys() == EXCEPTIONS.keys(), "a module that needs no exception any more"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM json_each(:ids)",
        "SELECT json_extract(value, '$[0]')",
        "SELECT rowid FROM files",
        "w.rank MATCH 'bm25(1)'",
        "FROM vectors INDEXED BY vectors_by_chunk",
        "SELECT count(*) FROM sqlite_schema",
        "JOIN pragma_table_info(t.name) AS c",
        "SELECT count(*) FROM chunk_words_docsize",
        "INSERT OR IGNORE INTO files",
        "SET uses = max(uses, :uses)",
        "WHERE parent_id IS :parent",
        "WHERE (:after IS NULL OR id < :after)",
        "WHERE substr(name, 1, :length) = :start",
        "WHERE state = 'ready' AND NOT :dense)",
        "FROM chunks AS c CROSS JOIN sources AS s\n ON s.id = c.source",
    ],
)
def test_sql_of_sqlite_alone_is_found(sql: str) -> None:
    assert sqlite_words(SourceModule.parse(f"def find():\n    return f{sql!r}"))


def test_shared_sql_and_documentation_are_left_alone() -> None:
    shared = "SELECT max(id), octet_length(body) FROM files CROSS JOIN topics WHERE head_id IS NULL"
    assert sqlite_words(SourceModule.parse(f"'''Needs json_each(x).'''\nsql = {shared!r}")) == set()


def test_the_architecture_names_the_modules_that_need_sqlite() -> None:
    described = (ROOT.parents[1] / "docs/architecture.md").read_text()
    assert [path for path in EXCEPTIONS if f"`{path}`" not in described] == []
