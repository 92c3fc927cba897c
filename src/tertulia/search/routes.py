"""Search over HTTP, what it is told to do, and how far its index has come."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.conversations.access import get_for_reading
from tertulia.core.principal import Principal
from tertulia.files.citations import find_cited_files
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.dependencies import Config, Db, get_part
from tertulia.infra.http.identity import Admin, Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.projects import access as projects
from tertulia.retrieval import flags, personal_flags, sources
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_progress import list_index_problems, read_index_progress
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.query_expansion import fuse_results
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery, SearchResult
from tertulia.retrieval.sources import SourceKind
from tertulia.search.point_messages import find_point_messages
from tertulia.search.schemas import (
    FlagsBody,
    FlagsView,
    IndexView,
    PersonalFlagsBody,
    SearchBody,
    SearchView,
    WorkspaceFlagsBody,
)
from tertulia.settings import Settings

router = Router(prefix="/api", tags=["search"])
#: What an admin says of the choices of members, beside the flags of the workspace.
ALLOWANCE_FIELDS = ("personal_flags", "personal_token_budget_max")


async def _search(request: Request) -> Search:
    return get_part(request, Search)


async def _embeddings(request: Request) -> EmbeddingService:
    return get_part(request, EmbeddingService)


async def _indexes(request: Request) -> SearchIndexes:
    return get_part(request, SearchIndexes)


SearchDependency = Annotated[Search, Depends(_search)]
EmbeddingDependency = Annotated[EmbeddingService, Depends(_embeddings)]
IndexesDependency = Annotated[SearchIndexes, Depends(_indexes)]


@router.post("/projects/{project_id}/search")
async def search_project(
    project_id: str, body: SearchBody, me: Me, db: Db, search: SearchDependency
) -> SearchView:
    """Search a project's files, talk and summaries. Any text is a query; nothing in it has a meaning."""
    await check_search_scope(db, me, project_id=project_id, conversation_id=body.conversation_id)
    return await find_hits(search, body.to_query(project_id), expand=body.expand, db=db, by=me)


@router.post("/search/global")
async def search_everywhere(body: SearchBody, me: Me, db: Db, search: SearchDependency) -> SearchView:
    """Search everything in the workspace that the caller may see."""
    await check_search_scope(db, me, project_id=None, conversation_id=body.conversation_id)
    return await find_hits(search, body.to_query(None), expand=body.expand, db=db, by=me)


@router.get("/projects/{project_id}/index")
async def get_index(project_id: str, me: Me, db: Db, embeddings: EmbeddingDependency) -> IndexView:
    """Tell how far a project is indexed, and what of it cannot be read."""
    return await db.read(lambda tx: to_index_view(tx, project_id, dense=embeddings.wanted is not None), by=me)


@router.post("/projects/{project_id}/index", status_code=202)
async def index_anew(project_id: str, me: Member, db: Db, embeddings: EmbeddingDependency) -> IndexView:
    """Index all of a project anew; until that is done it is found as before."""

    def queue(tx: Tx) -> IndexView:
        sources.requeue_all(tx, projects.get(tx, project_id).id)
        return to_index_view(tx, project_id, dense=embeddings.wanted is not None)

    return await db.write(queue, by=me)


@router.get("/retrieval/preferences")
async def get_preferences(me: Me, db: Db, config: Config) -> FlagsView:
    """Tell what retrieval does for you, who decided each of it, and what you may decide."""
    return await db.read(lambda tx: to_flags_view(tx, config), by=me)


@router.patch("/retrieval/preferences")
async def change_preferences(body: WorkspaceFlagsBody, me: Admin, db: Db, config: Config) -> FlagsView:
    """Decide what retrieval does, at once and for the whole workspace; null leaves it to the server.

    `personal_flags` are those that members may decide for themselves, and `personal_token_budget_max` the
    most tokens; null allows all.
    """

    def change(tx: Tx) -> FlagsView:
        values = omit_unset(body)
        allowance = {name: values.pop(name) for name in ALLOWANCE_FIELDS if name in values}
        before, may_before = flags.read_flags(tx, config), personal_flags.read_allowance(tx).may_cut
        after = flags.choose_flags(tx, config, values)
        personal_flags.change_allowance(tx, allowance)
        if (before.chunking, before.structure) != (after.chunking, after.structure):
            sources.requeue_all(tx, None)
        elif may_before != personal_flags.read_allowance(tx).may_cut:
            sources.requeue_own_messages(tx, personal_flags.list_people_who_chose(tx, "chunking"))
        return to_flags_view(tx, config)

    return await db.write(change, by=me)


@router.patch("/retrieval/preferences/personal")
async def change_own_preferences(body: PersonalFlagsBody, me: Member, db: Db, config: Config) -> FlagsView:
    """Decide what retrieval does for yourself, as far as the workspace lets you; null leaves it to that."""

    def change(tx: Tx) -> FlagsView:
        before = flags.read_flags(tx, config, user_id=me.user_id)
        flags.choose_personal_flags(tx, config, omit_unset(body))
        if before.chunking != flags.read_flags(tx, config, user_id=me.user_id).chunking:
            sources.requeue_own_messages(tx, [me.user_id])
        return to_flags_view(tx, config)

    return await db.write(change, by=me)


async def check_search_scope(
    db: Database, me: Principal, *, project_id: str | None, conversation_id: str | None
) -> None:
    """Raise unless the caller may see where they want to look."""

    def check(tx: Tx) -> None:
        if project_id is not None:
            projects.get(tx, project_id)
        if conversation_id is not None:
            get_for_reading(tx, conversation_id)

    await db.read_inline(check, by=me)


async def find_hits(
    search: Search, query: SearchQuery, *, expand: bool, db: Database, by: Principal
) -> SearchView:
    """Search, and show what was found with the pages, or the rounds, that it stands on."""
    queries = [query]
    if expand:
        held = await db.read_inline(lambda tx: search.read_flags(tx, by=by), by=by)
        queries = await search.expand(query, flags=held, by=by)

    def take(tx: Tx, results: list[SearchResult]) -> SearchView:
        result = fuse_results(results, limit=query.limit)
        found = [hit.candidate for hit in result.hits]
        ids = [candidate.source_id for candidate in found if candidate.kind is SourceKind.FILE]
        return SearchView.of(result, find_cited_files(tx, ids), find_point_messages(tx, found))

    return await search.find_all(queries, by=by, audience=by, take=take)


def to_index_view(tx: Tx, project_id: str, *, dense: bool) -> IndexView:
    """Show how far a project is indexed."""
    project = projects.get(tx, project_id)
    found = read_index_progress(tx, project.id, dense=dense)
    return IndexView(
        waiting=found.waiting,
        chunked=found.chunked,
        ready=found.ready,
        failed=found.failed,
        total=found.total,
        chunks=found.chunks,
        problems=[
            {
                "source_id": index_problem.source_id,
                "path": index_problem.path,
                "problem": index_problem.problem,
            }
            for index_problem in list_index_problems(tx, project.id)
        ],
    )


def to_flags_view(tx: Tx, settings: Settings) -> FlagsView:
    """Show what retrieval does for the caller."""
    me, allowance = tx.by.user_id, personal_flags.read_allowance(tx)
    return FlagsView(
        current=FlagsBody(**flags.flags_to_dict(flags.read_flags(tx, settings, user_id=me))),
        workspace=FlagsBody(**flags.flags_to_dict(flags.read_flags(tx, settings))),
        server=FlagsBody(**flags.flags_to_dict(settings.retrieval)),
        chosen=sorted(flags.read_chosen_flags(tx)),
        origins=flags.flag_origins(tx, user_id=me),
        personal_flags=list(allowance.flags),
        personal_token_budget_max=allowance.token_budget_max,
    )
