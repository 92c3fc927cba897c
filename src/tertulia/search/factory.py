"""Puts the parts of retrieval together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import httpx2

from tertulia.embedding.domain import Embedder
from tertulia.embedding.factory import embedder_for
from tertulia.embedding.weights import EMBEDDER_NAME as BUILTIN
from tertulia.files.file_texts import FileTexts
from tertulia.infra.db import Database
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.models.service import Models
from tertulia.projects.access import list_project_ids
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.indexer import Indexer, ReadSource
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.postgres.text_search import TextSearchIndex
from tertulia.retrieval.postgres.vector_search import PgvectorIndex
from tertulia.retrieval.query_expansion import ExpandQuery
from tertulia.retrieval.search import Search
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.sqlite.bank_search import BankIndex
from tertulia.retrieval.sqlite.fts5 import Fts5Index
from tertulia.search.source_readers import build_source_readers
from tertulia.settings import Settings


@dataclass(frozen=True, slots=True)
class SearchParts:
    """What a process needs to find things."""

    search: Search
    embeddings: EmbeddingService
    indexes: SearchIndexes
    indexer: Indexer
    damage: IndexDamage


def open_search(
    db: Database,
    settings: Settings,
    *,
    models: Models,
    client: httpx2.AsyncClient,
    texts: FileTexts,
    readers: Mapping[SourceKind, ReadSource],
    worker: str,
    is_only_worker: bool,
    is_busy: Callable[[], bool],
    expand_query: ExpandQuery,
) -> SearchParts:
    """Return what searches, what gives texts their meaning, and what indexes them.

    `readers` are those of kinds that only features above this one can read.
    """

    def make(name: str) -> Embedder | None:
        chosen = "builtin" if name == BUILTIN else name
        return embedder_for(replace(settings, embedder=chosen), models, client=client)

    indexes = open_indexes(db)
    wanted = embedder_for(settings, models, client=client)
    meanings = EmbeddingService(wanted, make=make, vectors=indexes.vectors)
    damage = IndexDamage()
    search = Search(
        db,
        settings,
        meanings,
        indexes=indexes,
        list_project_ids=list_project_ids,
        damage=damage,
        expand_query=expand_query,
    )
    indexer = Indexer(
        db,
        settings,
        meanings,
        indexes=indexes,
        readers={**build_source_readers(db, texts), **readers},
        worker=worker,
        is_only_worker=is_only_worker,
        damage=damage,
        is_busy=is_busy,
    )
    return SearchParts(search, meanings, indexes, indexer, damage)


def open_indexes(db: Database) -> SearchIndexes:
    """Return the indexes that the database at hand has."""
    if isinstance(db, SqliteDatabase):
        return SearchIndexes(words=Fts5Index(), vectors=BankIndex())
    return SearchIndexes(words=TextSearchIndex(), vectors=PgvectorIndex())
