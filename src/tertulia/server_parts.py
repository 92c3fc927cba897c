"""The parts of a process: built once, wired to each other, and stopped in good order."""

import asyncio
import logging
import signal
from collections.abc import Awaitable
from dataclasses import dataclass
from enum import StrEnum

import httpx2

from tertulia.calendars.caldav.factory import CalDavParts, open_caldav
from tertulia.calendars.deletion import deletion_kinds as calendar_deletions
from tertulia.context.recall import Recall
from tertulia.conversations.jobs import job_handlers as conversation_jobs
from tertulia.conversations.service import CONVERSATION_DELETION_KIND as CONVERSATION
from tertulia.conversations.service import deletion_kind as conversation_deletion
from tertulia.core.ids import new_id
from tertulia.core.tasks import cancel_tasks
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.entities.jobs import job_handlers as entity_jobs
from tertulia.files.deletion import FILES_DELETION_KIND as FILES
from tertulia.files.deletion import deletion_kind as file_deletion
from tertulia.files.factory import open_files
from tertulia.files.service import Files
from tertulia.infra.blobs import Blobs
from tertulia.infra.courier import Courier
from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.courier.opening import open_courier
from tertulia.infra.datadir import DataDir
from tertulia.infra.db import Database
from tertulia.infra.db.opening import open_database
from tertulia.infra.db.sqlite.reclaimer import Reclaimer
from tertulia.infra.dependency_checks import Dependency, DependencyChecks, DependencyUnreachable
from tertulia.infra.events import EventLog
from tertulia.infra.http.outbound import make_client
from tertulia.infra.jobs import JobWorker
from tertulia.infra.undo import PendingDeletions
from tertulia.librarian.provider import Librarian
from tertulia.live.access_watch import AccessWatch
from tertulia.memories.deletion import MEMORY_DELETION_KIND
from tertulia.memories.deletion import deletion_kind as memory_deletion
from tertulia.memories.memory_index import build_memory_reader
from tertulia.memory.summary_reader import build_summary_reader
from tertulia.models.service import Models
from tertulia.planning.jobs import job_handlers as planning_jobs
from tertulia.reminders.loop import Reminders
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.sqlite.tombstones import DELETED_WORDS
from tertulia.sandbox.service import Sandbox
from tertulia.search.factory import SearchParts, open_search
from tertulia.settings import Settings
from tertulia.tasks.deletion import deletion_kinds as task_deletions
from tertulia.tasks.task_index import build_task_reader
from tertulia.tools.planner.tool_set import build_planner_tools
from tertulia.tools.python.code_runner import CodeRunner
from tertulia.tools.python.run_python import RunPython
from tertulia.tools.registry import build_tool_registry
from tertulia.tools.remember import RememberTool
from tertulia.tools.search_memory import SearchMemory
from tertulia.tools.workspace_tools import WorkspaceTools
from tertulia.turns.approvals import Approvals
from tertulia.turns.event_retention import job_handlers as turn_jobs
from tertulia.turns.membership_watch import MembershipWatch
from tertulia.turns.recorder import Recorder
from tertulia.turns.runner import ReplyRunner
from tertulia.turns.service import Turns
from tertulia.turns.services import TurnServices
from tertulia.upkeep.jobs import job_handlers as upkeep_jobs
from tertulia.upkeep.query_expansion import expand_query

log = logging.getLogger("tertulia")


class ProcessRole(StrEnum):
    """What a process is for."""

    #: Answers people, and does all the rest too.
    SERVER = "server"
    #: Does jobs and indexes, and writes no replies.
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class ServerParts:
    """What one process is made of."""

    data_dir: DataDir
    db: Database
    courier: Courier
    events: EventLog
    client: httpx2.AsyncClient
    models: Models
    files: Files
    blobs: Blobs
    search: SearchParts
    workspace_tools: WorkspaceTools
    services: TurnServices
    runner: ReplyRunner
    turns: Turns
    approvals: Approvals
    code_runner: CodeRunner
    reclaimer: Reclaimer
    deletions: PendingDeletions
    caldav: CalDavParts
    reminders: Reminders
    tasks: tuple[asyncio.Task[None], ...]

    async def stop(self) -> None:
        """Stop in an order in which nothing that was said is lost."""
        await self.runner.drain()
        self.events.close()
        await self.code_runner.close()
        await cancel_tasks(self.tasks)
        await self.services.recall.close()
        await self.search.search.close()
        await self.workspace_tools.close()
        await self.search.embeddings.close()
        await self.models.close()
        await self.client.aclose()
        self.db.close()
        self.data_dir.release()


def build_parts(settings: Settings, *, role: ProcessRole = ProcessRole.SERVER) -> ServerParts:
    """Build and start the parts of a process; call it on its event loop."""
    data_dir = DataDir(settings.data_dir)
    db = open_database(settings)
    worker = new_id("wrk")
    courier = open_courier(settings, is_shared=settings.is_shared)
    events = EventLog(db, courier=courier)
    client = make_client(settings.private_hosts)
    models = Models(settings, db, client, librarian=Librarian())
    file_parts = open_files(db, settings)
    is_only_process = data_dir.is_exclusive and not settings.is_shared
    search = open_search(
        db,
        settings,
        models=models,
        client=client,
        texts=file_parts.files.texts,
        readers={
            SourceKind.SUMMARY: build_summary_reader(db),
            SourceKind.MEMORY: build_memory_reader(db),
            SourceKind.TASK: build_task_reader(db),
        },
        worker=worker,
        is_only_worker=is_only_process,
        is_busy=lambda: runner.is_busy,
        expand_query=lambda request, by: expand_query(request, by=by, services=services),
    )
    code_runner = CodeRunner(db, file_parts.files, Sandbox(settings) if settings.sandbox else None)
    workspace_tools = WorkspaceTools(settings, db, client)
    recorder = Recorder(db, events, worker=worker)
    job_news = asyncio.Event()
    courier.subscribe(JobsQueued, lambda _: job_news.set())
    services = TurnServices(
        db,
        events,
        models,
        settings,
        recorder,
        Recall(db, search.search, file_parts.files),
        build_tool_registry(
            db,
            file_parts.files,
            search.search,
            SearchMemory(db, search.search),
            RememberTool(db, events),
            RunPython(db, file_parts.files, code_runner),
            *build_planner_tools(db, events),
            choose=workspace_tools.choose_tools,
        ),
        worker=worker,
        courier=courier,
    )
    workspace_tools.set_builtin_tools(services.tool_registry.tools)
    runner = ReplyRunner(services, worker=worker, is_only_worker=is_only_process)
    deletion_kinds = {
        CONVERSATION: conversation_deletion(events),
        FILES: file_deletion(),
        MEMORY_DELETION_KIND: memory_deletion(events),
        **task_deletions(events),
        **calendar_deletions(events),
    }
    deletions = PendingDeletions(db, deletion_kinds)
    handlers_by_kind = {
        **conversation_jobs(db=db, log=events),
        **entity_jobs(db=db),
        **turn_jobs(db=db),
        **upkeep_jobs(services),
        **planning_jobs(db=db, log=events, deletions=deletions),
        **deletions.handlers,
    }
    jobs = JobWorker(
        db, worker=worker, handlers=handlers_by_kind, job_news=job_news, is_only_worker=is_only_process
    )
    reminders = Reminders(settings, db, events, client)
    caldav = open_caldav(db, settings, events=events, client=client)
    approvals = Approvals(services, runner)
    reclaimer = Reclaimer(db, settings.database, leftovers=[DELETED_WORDS], is_busy=lambda: runner.is_busy)
    background_work = [courier.run(), jobs.run(), file_parts.blob_cleaner.run(), search.indexer.run()]
    background_work.append(reminders.run())
    background_work.append(caldav.run_workers(worker=worker, is_ready=jobs.is_ready.wait))
    if role is ProcessRole.SERVER:
        background_work += [recorder.run(), runner.maintain_leases(), approvals.expire_forever()]
        background_work.append(search.embeddings.warm_up())
        background_work += [AccessWatch(db, events.streams).run(), MembershipWatch(db, runner).run()]
    if not settings.is_shared:
        background_work.append(reclaimer.run())
    tasks = tuple(asyncio.create_task(run_vital(work), name=work.__qualname__) for work in background_work)
    turns = Turns(services, runner)
    return ServerParts(
        data_dir,
        db,
        courier,
        events,
        client,
        models,
        file_parts.files,
        file_parts.blobs,
        search,
        workspace_tools,
        services,
        runner,
        turns,
        approvals,
        code_runner,
        reclaimer,
        deletions,
        caldav,
        reminders,
        tasks,
    )


def build_dependency_checks(parts: ServerParts, settings: Settings) -> DependencyChecks:
    """Return what looks at everything that a process needs."""

    async def check_embedder() -> None:
        embeddings = parts.search.embeddings
        if embeddings.wanted is not None and embeddings.serving is None:
            raise EmbedderUnavailable("No embedder is in service yet.")
        if embeddings.serving is not None and not embeddings.serving.is_local:
            await embeddings.serving.start()

    dependencies = [
        Dependency("disk", lambda: asyncio.to_thread(parts.data_dir.check_writable)),
        Dependency(
            "database",
            lambda: parts.db.write(lambda tx: tx.value("SELECT 1"), by=None, concurrent=True),
        ),
        Dependency("embedder", check_embedder, required=False),
    ]
    if settings.is_shared:
        dependencies.append(Dependency("courier", lambda: check_courier(parts.courier), required=False))
    if settings.blobs:
        dependencies.append(Dependency("blob store", parts.blobs.check))
    return DependencyChecks(dependencies, is_draining=lambda: parts.runner.is_draining)


async def check_courier(courier: Courier) -> None:
    """Raise where news comes late because its server cannot be reached, or refuses us."""
    if not courier.is_connected:
        raise DependencyUnreachable("Valkey cannot be used: what other processes do is heard a little later.")


async def run_vital(work: Awaitable[None]) -> None:
    """Do work without which the process is of no use: if it fails, the process ends, to be started anew."""
    try:
        await work
    except Exception:
        log.critical("A vital part of the server failed; it stops now.", exc_info=True)
        signal.raise_signal(signal.SIGTERM)
