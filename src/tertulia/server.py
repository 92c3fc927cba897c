"""The web process: the application, the server that serves it, and what a process does around them."""

import asyncio
import gc
import logging
import resource
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from math import ceil
from types import FrameType
from typing import Any

import anyio
import uvicorn
import uvloop
from fastapi import FastAPI

from tertulia import __version__
from tertulia.accounts.authentication import RequestAuthenticator
from tertulia.accounts.routes import routers as accounts
from tertulia.accounts.setup import ensure_setup_link
from tertulia.calendars.caldav.accounts import CalDavAccounts
from tertulia.calendars.caldav.routes import router as caldav
from tertulia.calendars.caldav.sync import CalendarSync, requeue_all_syncs
from tertulia.calendars.routes import router as calendars
from tertulia.conversations.attachment_routes import router as attachments
from tertulia.conversations.created_routes import router as created
from tertulia.conversations.expiry import requeue_all_expiries
from tertulia.conversations.export_routes import router as exports
from tertulia.conversations.routes import router as conversations
from tertulia.conversations.subscriptions import SubscriptionChecks
from tertulia.core.log_format import start_logging
from tertulia.core.tasks import cancel_tasks
from tertulia.doors.mcp.routes import router as mcp
from tertulia.doors.openai.routes import router as openai
from tertulia.doors.openapi import install_openapi
from tertulia.doors.webapp import router as webapp
from tertulia.entities.routes import router as entities
from tertulia.files.routes import routers as files
from tertulia.files.service import Files
from tertulia.infra.child.worker_group import GroupLine
from tertulia.infra.courier import Courier
from tertulia.infra.db import Database
from tertulia.infra.dependency_checks import DependencyChecks
from tertulia.infra.events import EventLog
from tertulia.infra.http import errors
from tertulia.infra.http.canonical_ids import CanonicalIdMiddleware
from tertulia.infra.http.health import router as health
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.incoming_connections import (
    RESERVED_OPEN_FILES,
    ConnectionLimits,
    protocol_with_limits,
)
from tertulia.infra.http.listening_sockets import bind_sockets
from tertulia.infra.http.routing import add_routes
from tertulia.infra.http.security_headers import SecurityHeadersMiddleware
from tertulia.infra.http.start_failures import StartFailureMiddleware
from tertulia.infra.http.trusted_proxies import TrustedProxyMiddleware
from tertulia.infra.undo import PendingDeletions
from tertulia.infra.undo.routes import router as deletions
from tertulia.inspection.routes import router as context
from tertulia.memories.routes import router as memories
from tertulia.models.routes import router as models
from tertulia.models.service import Models
from tertulia.models.tokens import DEFAULT_TOKEN_MEASURE, vocabulary
from tertulia.planning.date_routes import router as dates
from tertulia.planning.routes import router as planning
from tertulia.planning.schedule_routes import router as schedules
from tertulia.profiles.routes import router as profiles
from tertulia.projects.routes import router as projects
from tertulia.reminders.loop import Reminders
from tertulia.reminders.routes import router as reminders
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.search import Search
from tertulia.routing.routes import router as routing
from tertulia.routing.service import ModelRouter
from tertulia.search.insight_routes import router as insight
from tertulia.search.routes import router as search
from tertulia.server_parts import ProcessRole, ServerParts, build_dependency_checks, build_parts
from tertulia.settings import Settings
from tertulia.tasks.phase_routes import router as phases
from tertulia.tasks.routes import router as tasks
from tertulia.tools.python.code_runner import CodeRunner
from tertulia.tools.python.routes import router as python
from tertulia.tools.routes import router as tools
from tertulia.tools.workspace_tools import WorkspaceTools
from tertulia.turns.approval_routes import router as approval_routes
from tertulia.turns.approvals import Approvals
from tertulia.turns.routes import router as turns
from tertulia.turns.service import Turns
from tertulia.turns.services import TurnServices
from tertulia.turns.steering import Steering
from tertulia.upkeep.routes import router as summaries
from tertulia.upkeep.summary_requests import SummaryRequests

#: How long a thread may compute before another has its turn. A request waits so long for each of the several
#: threads that it passes through, whenever somebody else's work computes in one.
THREAD_SWITCH_SECONDS = 0.000_2


def create_app(settings: Settings) -> FastAPI:
    """Return the web application; its parts are built when it starts and stopped when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        parts = build_parts(settings)
        await parts.deletions.requeue()
        await parts.db.write(requeue_all_expiries, by=None)
        await parts.db.write(requeue_all_syncs, by=None)
        authenticator = RequestAuthenticator(parts.db, settings=settings)
        app.state.running = parts
        app.state.parts = {
            Settings: settings,
            DependencyChecks: build_dependency_checks(parts, settings),
            Database: parts.db,
            Courier: parts.courier,
            EventLog: parts.events,
            SubscriptionChecks: SubscriptionChecks(parts.db),
            Models: parts.models,
            ModelRouter: ModelRouter(parts.models, parts.search.embeddings),
            Turns: parts.turns,
            TurnServices: parts.services,
            SummaryRequests: SummaryRequests(parts.services),
            Approvals: parts.approvals,
            Steering: Steering(parts.services),
            WorkspaceTools: parts.workspace_tools,
            CodeRunner: parts.code_runner,
            Files: parts.files,
            CalDavAccounts: parts.caldav.accounts,
            CalendarSync: parts.caldav.sync,
            PendingDeletions: parts.deletions,
            Reminders: parts.reminders,
            Search: parts.search.search,
            EmbeddingService: parts.search.embeddings,
            SearchIndexes: parts.search.indexes,
            Authenticator: authenticator,
        }
        yield
        await authenticator.close()
        await parts.stop()

    app = FastAPI(
        title="Tertulia",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    errors.install_error_handlers(app)
    app.add_middleware(CanonicalIdMiddleware)
    app.add_middleware(StartFailureMiddleware)
    app.add_middleware(SecurityHeadersMiddleware)
    if settings.trusted_proxies:
        app.add_middleware(TrustedProxyMiddleware, proxies=settings.trusted_proxies)
    # Routes are tried in this order, so those that are asked for most come first.
    add_routes(
        app,
        turns,
        openai,
        conversations,
        created,
        context,
        summaries,
        approval_routes,
        exports,
        entities,
        attachments,
        search,
        insight,
        *files,
        deletions,
        tools,
        python,
        memories,
        tasks,
        phases,
        calendars,
        caldav,
        planning,
        schedules,
        dates,
        reminders,
        models,
        routing,
        projects,
        profiles,
        *accounts,
        mcp,
        health,
        webapp,
    )
    install_openapi(app)
    return app


def create_default() -> FastAPI:
    """Return the application as the environment wants it, for a server that restarts on changes."""
    return create_app(Settings.from_env())


class Server(uvicorn.Server):
    """A web server that finishes the replies under way before it lets go of its listeners."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: FastAPI,
        settings: Settings,
        *,
        own_process: bool,
        greets: bool,
        line: GroupLine | None,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._settings = settings
        self._own_process = own_process
        self._greets = greets
        #: The line to the group that this is a worker of, if it is one.
        self._line = line
        self._warm_up_task: asyncio.Task[None] | None = None

    @property
    def parts(self) -> ServerParts:
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
            if self._greets:
                port: int = self.servers[0].sockets[0].getsockname()[1]
                url = self._settings.public_url or f"http://{self.config.host}:{port}"
                await print_greeting(self.parts.db, url)
            if self._line is not None:
                self._line.tell_started()
            self.parts.code_runner.start()
            self._warm_up_task = asyncio.create_task(self._warm_up())

    async def shutdown(self, sockets: Any = None) -> None:
        """Drain, end the event streams, then close the connections."""
        await self.parts.runner.drain()
        self.parts.events.close()
        if self._warm_up_task is not None:
            await cancel_tasks([self._warm_up_task])
        await super().shutdown(sockets)

    async def _warm_up(self) -> None:
        """Load what the first question will need; in a process of our own, what is there by then stays."""
        await asyncio.to_thread(warm_up)
        if self._own_process:
            gc.freeze()  # looking through it for garbage held everyone up


def make_server(
    settings: Settings,
    *,
    host: str,
    port: int,
    own_process: bool = False,
    greets: bool = True,
    line: GroupLine | None = None,
) -> Server:
    """Return a server that is ready to serve, in a process of its own or one that does other things too."""
    app = create_app(settings)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = ConnectionLimits.from_settings(settings, files=files)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=protocol_with_limits(limits),
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        # Only the settings say whose forwarded addresses are trusted: see `TrustedProxyMiddleware`.
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=ceil(settings.idle_seconds),
    )
    return Server(config, app, settings, own_process=own_process, greets=greets, line=line)


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Serve until told to stop; the first start prints the link that makes the owner's account."""
    sockets = bind_sockets(host, port)
    prepare_process(settings)
    uvloop.run(make_server(settings, host=host, port=port, own_process=True).serve(sockets))


def serve_in_group(settings: Settings, *, host: str, port: int, line: GroupLine, greets: bool) -> None:
    """Serve as one of several processes that share an address, until told to stop."""
    sockets = bind_sockets(host, port, is_shared=True)
    prepare_process(settings)
    server = make_server(settings, host=host, port=port, own_process=True, greets=greets, line=line)
    uvloop.run(server.serve(sockets))


def work_in_background(settings: Settings) -> None:
    """Do jobs and index until told to stop, and answer nobody."""
    prepare_process(settings)
    uvloop.run(run_background_work(settings))


async def run_background_work(settings: Settings) -> None:
    """Do jobs and index until a signal comes."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    parts = build_parts(settings, role=ProcessRole.WORKER)
    sys.stdout.write(f"Tertulia {__version__} does jobs and indexes.\n")
    sys.stdout.flush()
    await stop.wait()
    await parts.stop()


def prepare_process(settings: Settings) -> None:
    """Have logs written, threads take turns and files opened as a process of its own needs it."""
    start_logging(settings.log_level)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    raise_file_limit(settings.connections)


def raise_file_limit(connections: int) -> None:
    """Have as many files as the connections need, as far as the system lets us."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVED_OPEN_FILES
    if hard_limit != resource.RLIM_INFINITY:
        wanted = min(wanted, hard_limit)
    if soft_limit < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard_limit))


def warm_up() -> None:
    """Load what the first question will need, while nobody waits for it."""
    import numpy as np

    from tertulia.models.published_prices import find_published

    np.zeros(1)
    find_published("gpt", "openai", "")
    vocabulary(DEFAULT_TOKEN_MEASURE.vocabulary)
    # What streams responses loads the rest of itself when it first runs.
    anyio.run(anyio.sleep, 0)


async def print_greeting(db: Database, url: str) -> None:
    """Say where Tertulia is and, the first time, how to become its owner."""
    token = await ensure_setup_link(db)
    sys.stdout.write(f"Tertulia {__version__} is at {url}\n")
    if token:
        sys.stdout.write(f"Set it up here, once: {url}/setup#{token}\n")
    sys.stdout.flush()
