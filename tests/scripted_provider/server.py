"""The scripted provider's server: three wire formats, one set of scripts, a memory of every request."""

import asyncio
import re
import time
from types import ModuleType
from typing import Any

import msgspec

from tests.scripted_provider import anthropic_format, gemini_format, openai_format
from tests.scripted_provider.caching import Caches, Found
from tests.scripted_provider.play import play
from tests.scripted_provider.script import Fault, Recorded, Script, ScriptedUsage, Turn, words
from tests.scripted_provider.tokens import Tape, count
from tests.scripted_provider.wire import Asked, Connection, gone_or_done

ALWAYS_THERE = ("scripted-smart", "scripted-fast")
LISTS = {
    "/v1/models": openai_format,
    "/anthropic/v1/models": anthropic_format,
    "/gemini/v1beta/models": gemini_format,
}
GEMINI = "/gemini/v1beta/models/"
#: What the app says of the conversation right before the question.
CONVERSATION_NOTE = re.compile(r"<conversation>\n.*?\n</conversation>\s*", re.DOTALL)


class NewScript(msgspec.Struct):
    """What `POST /script` takes: one script, or one a request (the last one stays)."""

    model: str
    script: Script | list[Script]


class Server:
    """Answers as its scripts say."""

    def __init__(self) -> None:
        self.scripts: dict[str, list[Script]] = {}
        self.requests: list[Recorded] = []
        #: The address of every client that connected.
        self.connections: list[Any] = []
        self.caches = Caches()
        #: Set when models that wait in the middle of a reply may go on.
        self.resumed = asyncio.Event()
        self.page_size = 1000
        self._faults_used: dict[str, int] = {}

    def script(self, model: str, scripts: list[Script]) -> None:
        """Set what a model does from now on."""
        self.scripts[model] = list(scripts)
        self._faults_used.pop(model, None)

    def resume_waiting(self) -> None:
        """Let the models that wait at this moment go on, and none after them."""
        self.resumed.set()
        self.resumed.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it leaves."""
        connection = Connection(reader, writer)
        self.connections.append(writer.get_extra_info("peername"))
        try:
            while (asked := await connection.next_request()) is not None:
                await self._answer(connection, asked)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            connection.close()

    async def _answer(self, connection: Connection, asked: Asked) -> None:
        wire = LISTS.get(asked.path)
        if asked.path in ("/script", "/requests", "/resume", "/health"):
            await self._control(connection, asked)
        elif wire is not None and asked.method == "GET":
            await self._list(connection, asked, wire)
        elif (question := question_in(asked)) is not None:
            await self._model(connection, asked, *question)
        else:
            await connection.answer(404, b'{"error": {"message": "There is nothing here."}}')

    async def _control(self, connection: Connection, asked: Asked) -> None:
        answer: Any = {"ok": True}
        if asked.path == "/script" and asked.method == "POST":
            new = msgspec.json.decode(asked.content, type=NewScript)
            self.script(new.model, new.script if isinstance(new.script, list) else [new.script])
        elif asked.path == "/requests" and asked.method == "DELETE":
            self.requests.clear()
        elif asked.path == "/resume" and asked.method == "POST":
            self.resume_waiting()
        elif asked.path == "/requests":
            wanted = asked.query.get("model")
            answer = [one for one in self.requests if wanted in (None, one.model)]
        await connection.answer(200, msgspec.json.encode(answer))

    async def _list(self, connection: Connection, asked: Asked, wire: ModuleType) -> None:
        if not wire.has_key(asked.headers, asked.query):
            await connection.answer(401, wire.error_body(401, Fault(kind="status", message="No API key.")))
            return
        models = {name: Script() for name in ALWAYS_THERE}
        models |= {name: scripts[0] for name, scripts in self.scripts.items()}
        page = wire.listing(models, asked.query, self.page_size)
        await connection.answer(200, msgspec.json.encode(page))

    async def _model(
        self, connection: Connection, asked: Asked, wire: ModuleType, model: str, body: dict[str, Any]
    ) -> None:
        if not wire.has_key(asked.headers, asked.query):
            await connection.answer(401, wire.error_body(401, Fault(kind="status", message="No API key.")))
            return
        record = Recorded(
            model=model, format=wire.NAME, path=asked.path, headers=asked.headers, body=body, at=time.time()
        )
        self.requests.append(record)
        script = self._next_script(model)
        fault = self._next_fault(model, script)
        work = asyncio.create_task(
            reply(
                connection,
                wire,
                script,
                fault,
                model=model,
                body=body,
                caches=self.caches,
                resumed=self.resumed,
            )
        )
        record.ended = await gone_or_done(connection, work)
        record.ended_at = time.time()
        if record.ended != "finished":
            raise ConnectionResetError

    def _next_script(self, model: str) -> Script:
        scripts = self.scripts.get(model) or [Script()]
        return scripts.pop(0) if len(scripts) > 1 else scripts[0]

    def _next_fault(self, model: str, script: Script) -> Fault | None:
        fault = script.fault
        if fault is None or fault.times is None:
            return fault
        self._faults_used[model] = self._faults_used.get(model, 0) + 1
        return fault if self._faults_used[model] <= fault.times else None


def without_note(said: str) -> str:
    """Return what was said last, without the lines on the conversation that stand before a question."""
    return CONVERSATION_NOTE.sub("", said)


def question_in(asked: Asked) -> tuple[ModuleType, str, dict[str, Any]] | None:
    """Return the wire format, model and body of a request to a model."""
    if asked.method != "POST":
        return None
    if asked.path == "/v1/chat/completions":
        return openai_format, asked.json()["model"], asked.json()
    if asked.path == "/anthropic/v1/messages":
        return anthropic_format, asked.json()["model"], asked.json()
    if asked.path.startswith(GEMINI) and asked.path.endswith(":streamGenerateContent"):
        return gemini_format, asked.path.removeprefix(GEMINI).split(":")[0], asked.json()
    return None


async def reply(
    connection: Connection,
    wire: ModuleType,
    script: Script,
    fault: Fault | None,
    *,
    model: str,
    body: dict[str, Any],
    caches: Caches,
    resumed: asyncio.Event,
) -> str:
    """Answer a question to a model, and return how that ended."""
    window = script.true_window or script.window
    prompt = wire.tape(body) if window or script.usage is None else None
    if prompt is not None and window and len(prompt) > window:
        fault = wire.too_long(len(prompt), window)
    if fault and fault.kind == "status":
        headers = {} if fault.retry_after is None else {"retry-after": fault.retry_after}
        await connection.answer(fault.status, wire.error_body(fault.status, fault), headers)
        return "finished"
    turn = turn_of(script, wire, model, body)
    if script.usage is None and prompt is not None:
        turn.usage = counted(turn, prompt, caches.find(wire.NAME, model, prompt))
    if wire is openai_format and not body.get("stream"):
        await connection.answer(200, msgspec.json.encode(openai_format.whole(turn)))
        return "finished"
    frames = wire.frames(turn, body)
    return await play(connection, frames, script, fault, wire=wire, model=model, resumed=resumed)


def turn_of(script: Script, wire: ModuleType, model: str, body: dict[str, Any]) -> Turn:
    """Work out what a model answers to this body."""
    answered = wire.ends_with_results(body) and not script.always_calls
    calls = [] if answered else script.tool_calls
    said = script.reply
    if said is None:
        said = "" if calls else f"{model} heard: {without_note(wire.last_user_text(body))}"
    return Turn(
        model=model,
        pieces=words(said),
        thinking=words(script.thinking),
        calls=calls,
        usage=script.usage or ScriptedUsage(input=0, output=0),
        finish=script.finish,
    )


def counted(turn: Turn, prompt: Tape, found: Found) -> ScriptedUsage:
    """Count what a real provider would bill."""
    said = "".join([*turn.pieces, *(call.arguments for call in turn.calls)])
    thought = count("".join(turn.thinking))
    return ScriptedUsage(
        input=len(prompt),
        output=count(said) + thought,
        cached=found.cached,
        cache_write=found.written,
        thinking=thought,
    )
