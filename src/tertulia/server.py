"""The web process: builds every part once, wires them, and serves."""

import asyncio
import gc
import logging
import resource
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from types import FrameType
from typing import Any

import httpx2
import uvicorn
import uvloop
from fastapi import FastAPI

from tertulia import __version__
from tertulia.accounts.authenticate import Credentials
from tertulia.accounts.routes import router as accounts
from tertulia.accounts.setup import ensure_setup_link
from tertulia.context.recall import Recall
from tertulia.conversations.export_routes import router as exports
from tertulia.conversations.file_routes import router as attaching
from tertulia.conversations.routes import router as conversations
from tertulia.conversations.service import DELETION_KIND as CONVERSATION
from tertulia.conversations.service import deletion_kind as conversation_deletion
from tertulia.core.ids import new_id
from tertulia.doors.mcp.routes import router as mcp
from tertulia.doors.openai.routes import router as openai
from tertulia.doors.openapi import describe
from tertulia.doors.webapp import router as webapp
from tertulia.files.deletion import DELETION_KIND as FILES
from tertulia.files.deletion import deletion_kind as file_deletion
from tertulia.files.opening import open_files
from tertulia.files.routes import router as filing
from tertulia.files.service import Files
from tertulia.infra.datadir import DataDir
from tertulia.infra.db import Database
from tertulia.infra.db.reclaimer import Reclaimer
from tertulia.infra.events import EventLog
from tertulia.infra.http import errors
from tertulia.infra.http.connections import RESERVED_FILES, ConnectionLimits, bounded_by
from tertulia.infra.http.forwarded import ForwardedClient
from tertulia.infra.http.hardening import Hardening
from tertulia.infra.http.health import router as health
from tertulia.infra.http.id_case import CanonicalIds
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.outbound import make_client
from tertulia.infra.jobs import JobWorker
from tertulia.infra.undo import PendingDeletions
from tertulia.infra.undo.routes import router as deleting
from tertulia.models.routes import router as models
from tertulia.models.service import Models
from tertulia.models.tokens import DEFAULT, vocabulary
from tertulia.projects.routes import router as projects
from tertulia.retrieval.meanings import Meanings
from tertulia.retrieval.search import Search
from tertulia.retrieval.tombstones import WORDS
from tertulia.sandbox.service import Sandbox
from tertulia.search.insight_routes import router as insight
from tertulia.search.opening import SearchParts, open_search
from tertulia.search.routes import router as searching
from tertulia.settings import Settings
from tertulia.tools.python.routes import router as python
from tertulia.tools.python.tool import RunPython
from tertulia.tools.python.workbench import Workbench
from tertulia.tools.routes import router as tools
from tertulia.tools.toolbox import project_tools
from tertulia.tools.workshop import Workshop
from tertulia.turns.context_routes import router as context
from tertulia.turns.deciding import Deciding
from tertulia.turns.deciding_routes import router as deciding
from tertulia.turns.desk import Desk
from tertulia.turns.jobs import handlers
from tertulia.turns.recorder import Recorder
from tertulia.turns.routes import router as turns
from tertulia.turns.runner import Runner, cancel
from tertulia.turns.service import Turns

log = logging.getLogger("tertulia")

#: How long a thread may compute before another has its turn: a search changes threads several times.
SWITCH_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Parts:
    """What one process is made of."""

    data: DataDir
    db: Database
    events: EventLog
    client: httpx2.AsyncClient
    models: Models
    files: Files
    search: SearchParts
    workshop: Workshop
    desk: Desk
    runner: Runner
    turns: Turns
    deciding: Deciding
    bench: Workbench
    reclaimer: Reclaimer
    deletions: PendingDeletions
    tasks: tuple[asyncio.Task[None], ...]

    async def stop(self) -> None:
        """Stop in an order in which nothing that was said is lost."""
        await self.runner.drain()
        self.events.close()
        await self.bench.close()
        await cancel(self.tasks)
        await self.workshop.close()
        await self.search.meanings.close()
        await self.models.close()
        await self.client.aclose()
        self.db.close()
        self.data.release()


def build(settings: Settings) -> Parts:
    """Build and start the parts of a process; call it on its event loop."""
    data = DataDir(settings.data_dir)
    db = Database(settings.database, busy_seconds=settings.busy_seconds)
    worker = new_id("wrk")
    events = EventLog(db)
    client = make_client(settings.private_hosts)
    models = Models(settings, db, client)
    shelf = open_files(db, settings)
    search = open_search(
        db,
        settings,
        models=models,
        client=client,
        texts=shelf.files.texts,
        is_busy=lambda: runner.is_busy,
    )
    bench = Workbench(db, shelf.files, Sandbox(settings) if settings.sandbox else None)
    workshop = Workshop(settings, db, client)
    recorder = Recorder(db, events, worker=worker)
    news = asyncio.Event()
    desk = Desk(
        db,
        events,
        models,
        settings,
        recorder,
        Recall(db, search.search, shelf.files),
        project_tools(
            db, shelf.files, search.search, RunPython(db, shelf.files, bench), choose=workshop.choose
        ),
        worker=worker,
        job_news=news,
    )
    workshop.shows(desk.toolbox.tools)
    runner = Runner(desk, worker=worker, alone=data.is_ours_alone)
    alone = data.is_ours_alone
    kinds = {CONVERSATION: conversation_deletion(events), FILES: file_deletion()}
    deletions = PendingDeletions(db, kinds)
    work_by_kind = {**handlers(desk), **deletions.handlers}
    jobs = JobWorker(db, worker=worker, handlers=work_by_kind, news=news, alone=alone)
    deciding = Deciding(desk, runner)
    reclaimer = Reclaimer(db, settings.database, leftovers=[WORDS], is_busy=lambda: runner.is_busy)
    work = (
        recorder.run(),
        runner.watch(),
        deciding.run(),
        jobs.run(),
        shelf.keeper.run(),
        search.indexer.run(),
        reclaimer.run(),
    )
    tasks = tuple(asyncio.create_task(vital(one)) for one in work)
    turns = Turns(desk, runner)
    return Parts(
        data,
        db,
        events,
        client,
        models,
        shelf.files,
        search,
        workshop,
        desk,
        runner,
        turns,
        deciding,
        bench,
        reclaimer,
        deletions,
        tasks,
    )


async def vital(work: Coroutine[Any, Any, None]) -> None:
    """Do work without which the process is of no use: if it fails, the process ends, to be started anew."""
    try:
        await work
    except Exception:
        log.critical("A vital part of the server failed; it stops now.", exc_info=True)
        signal.raise_signal(signal.SIGTERM)


def create_app(settings: Settings) -> FastAPI:
    """Return the web application; its parts are built when it starts and stopped when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        parts = build(settings)
        await parts.deletions.resume()
        app.state.running = parts
        app.state.parts = {
            Settings: settings,
            DataDir: parts.data,
            Database: parts.db,
            EventLog: parts.events,
            Models: parts.models,
            Turns: parts.turns,
            Desk: parts.desk,
            Deciding: parts.deciding,
            Workshop: parts.workshop,
            Workbench: parts.bench,
            Files: parts.files,
            PendingDeletions: parts.deletions,
            Search: parts.search.search,
            Meanings: parts.search.meanings,
            Authenticator: Credentials(parts.db, settings=settings),
        }
        yield
        await parts.stop()

    app = FastAPI(
        title="Tertulia",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses={"4XX": {"model": errors.ErrorBody, "description": "What went wrong"}},
    )
    errors.install(app)
    app.add_middleware(CanonicalIds)
    app.add_middleware(Hardening)
    if settings.trusted_proxies:
        app.add_middleware(ForwardedClient, proxies=settings.trusted_proxies)
    # Routes are tried in this order, so those that are asked for most come first.
    for router in (
        turns,
        openai,
        conversations,
        context,
        deciding,
        exports,
        attaching,
        searching,
        insight,
        filing,
        deleting,
        tools,
        python,
        models,
        projects,
        accounts,
        mcp,
        health,
        webapp,
    ):
        app.include_router(router)
    describe(app)
    return app


def create_default() -> FastAPI:
    """Return the application as the environment wants it, for a server that restarts on changes."""
    return create_app(Settings.from_env())


class Server(uvicorn.Server):
    """A web server that finishes the replies under way before it lets go of its listeners."""

    def __init__(
        self, config: uvicorn.Config, app: FastAPI, settings: Settings, *, own_process: bool
    ) -> None:
        super().__init__(config)
        self._app = app
        self._settings = settings
        self._own_process = own_process
        self._warming: asyncio.Task[None] | None = None

    @property
    def parts(self) -> Parts:
        """Return what the running process is made of."""
        return self._app.state.running

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop in good order when told to, at once when told again; neither is a failure of ours."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: Any = None) -> None:
        """Start listening, and say where."""
        await super().startup(sockets)
        if self.started:
            url = self._settings.public_url or f"http://{self.config.host}:{self.config.port}"
            await greet(self.parts.db, url)
            self.parts.bench.start()
            self._warming = asyncio.create_task(self._warm())

    async def shutdown(self, sockets: Any = None) -> None:
        """Drain, end the event streams, then close the connections."""
        await self.parts.runner.drain()
        self.parts.events.close()
        await super().shutdown(sockets)

    async def _warm(self) -> None:
        """Load what the first question will need; in a process of our own, what is there by then stays."""
        await asyncio.to_thread(warm)
        if self._own_process:
            gc.freeze()  # looking through it for garbage held everyone up


def make_server(settings: Settings, *, host: str, port: int, own_process: bool = False) -> Server:
    """Return a server that is ready to serve, in a process of its own or one that does other things too."""
    app = create_app(settings)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = ConnectionLimits.from_settings(settings, files=files)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=bounded_by(limits),
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        # Whom a forwarded address is believed from is said by the settings alone: see `ForwardedClient`.
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=ceil(settings.idle_seconds),
    )
    return Server(config, app, settings, own_process=own_process)


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Serve until told to stop; the first start prints the link that makes the owner's account."""
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    sys.setswitchinterval(SWITCH_SECONDS)
    raise_file_limit(settings.connections)
    uvloop.run(make_server(settings, host=host, port=port, own_process=True).serve())


def raise_file_limit(connections: int) -> None:
    """Have as many files as the connections need, as far as the system lets us."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVED_FILES
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def warm() -> None:
    """Load what the first question will need, while nobody waits for it."""
    import numpy as np  # noqa: PLC0415 - heavy, so not before we listen

    from tertulia.models.price_list import published  # noqa: PLC0415 - see above

    np.zeros(1)
    published("gpt", "openai", "")
    vocabulary(DEFAULT.vocabulary)


async def greet(db: Database, url: str) -> None:
    """Say where Tertulia is and, the first time, how to become its owner."""
    token = await ensure_setup_link(db)
    sys.stdout.write(f"Tertulia {__version__} is at {url}\n")
    if token:
        sys.stdout.write(f"Set it up here, once: {url}/setup#{token}\n")
    sys.stdout.flush()
