"""A workspace as it looks after some weeks of use: people, a project, presets, and talk worth reading."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import msgspec
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider, ScriptedUsage
from tests.tools_world import give_letters
from tests.world import Person, World

from tertulia.accounts import api_tokens, users
from tertulia.core.principal import Principal, Role

HERE = Path(__file__).parent
GPT, CLAUDE, GEMINI = TABLE = ("gpt-5", "claude-opus-4-1", "gemini-2.5-pro")
#: What each provider offers, by name and title.
OFFERS = {
    GPT: {GPT: "GPT-5", "gpt-5-mini": "GPT-5 mini", "o3": "o3"},
    CLAUDE: {
        CLAUDE: "Claude Opus 4.1",
        "claude-sonnet-4-5": "Claude Sonnet 4.5",
        "claude-haiku-4-5": "Claude Haiku 4.5",
    },
    GEMINI: {GEMINI: "Gemini 2.5 Pro", "gemini-2.5-flash": "Gemini 2.5 Flash"},
}
OPINIONS = {
    GPT: "Yes. Most names that people try are free, and a filter is *sure* when it says no.",
    CLAUDE: "Very likely. Measure first: it pays once more than half of the checks find nothing.",
    GEMINI: "It would. Keep the unique index as well: the filter spares queries, **not** the rule.",
}
PASSWORD = "several minds, one table"
FIRST = "We ask the database for every name that people try at sign-up. Would a Bloom filter help?"
QUESTION = "How large must it be for 10 million names, and how would the code look?"
SOURCED = "How often is the filter of names rebuilt, and how many names are checked at the peak?"
CITING = "Each **night**, in about four minutes [1]. Until then, names that were given up stay taken [1]."
ERRAND = "When is the filter rebuilt? Write that to Grace."
LOOK = ScriptedCall(name="search_project", arguments='{"query": "filter rebuilt"}')
READ = ScriptedCall(name="read_project_file", arguments='{"path": "docs/names.md"}')
TELL = ScriptedCall(
    name="send_letter", arguments='{"text": "Dear Grace, the filter of names is rebuilt each night."}'
)
#: Files of the project, and which text of this folder each of them holds.
FILES = {"docs/names.md": "names.md", "src/signup/filter.py": "filter.txt"}
TALKS = [
    ("Naming the quarterly report", "Suggest a plain name for our quarterly report."),
    ("Why the build is slow on Mondays", "Our build takes twice as long on Mondays. Where would you look?"),
    ("Letter to the landlord", "Write a kind letter about the broken heating."),
    ("Proof that √2 is irrational", "Prove that the square root of two is irrational."),
    ("Three days in Lisbon", "What should one see in Lisbon in three days?"),
    ("SQL for overlapping bookings", "Find bookings that overlap, in SQL."),
]
#: What Ada says of herself, some of which waits in the inbox.
ABOUT = (
    "Six people come to dinner on Friday. I am allergic to almonds. "
    "My sister Mara lives in Lyon. I prefer short answers. What shall I cook?"
)
MEMORIES: list[dict[str, object]] = [
    {"type": "fact", "content": "The rebuild of the filter starts at 1 a.m.", "category": "work"},
    {"type": "fact", "content": "The rebuild of the filter starts at 3 a.m.", "category": "work"},
    {"type": "decision", "content": "We keep the unique index beside the filter.", "category": "work"},
    {
        "type": "preference",
        "content": "Code comes with types, and without comments that repeat it.",
        "category": "style",
        "pinned": True,
    },
]
PROFILE = {
    "preferences": {"coding_style": "Small functions, plain names", "preferred_languages": ["Python", "Go"]},
    "context": {"domain": "Sign-up and accounts", "constraints": "No new services before the spring"},
    "freeform_notes": "Answer in British English.",
}
MEMBERS = [
    ("Grace Okafor", "grace@example.org", Role.ADMIN),
    ("Linus Berg", "linus@example.org", Role.MEMBER),
    ("Mei Tanaka", "mei@example.org", Role.VIEWER),
]


@dataclass(frozen=True, slots=True)
class Demo:
    """What there is to be looked at."""

    world: World
    ada: Person
    providers: dict[str, ScriptedProvider]
    conversation: str
    project: str
    #: A conversation in which a reply cites the files of the project.
    cited: str = ""
    #: A conversation in which a model works with tools, and asks whether it may send a letter.
    worked: str = ""

    def script(self, model: str, *scripts: Script) -> None:
        """Set what a model says next, and after that."""
        self.providers[model].script(model, *scripts)


def told(name: str) -> str:
    """Return a text of this folder."""
    return (HERE / f"{name}.md").read_text("utf-8").strip()


@contextmanager
def three_providers() -> Generator[dict[str, ScriptedProvider]]:
    """Run one scripted provider for each model at the table, with nothing on it that reads like a test."""
    with patch("tests.scripted_provider.server.ALWAYS_THERE", ()), ExitStack() as stack:
        found = {model: stack.enter_context(ScriptedProvider.running()) for model in TABLE}
        for model, provider in found.items():
            for name, title in OFFERS[model].items():
                provider.script(name, Script(reply="Let us see.", title=title))
        yield found


@asynccontextmanager
async def opened(folder: Path, providers: dict[str, ScriptedProvider]) -> AsyncGenerator[Demo]:
    """Serve the demo while the block runs."""
    env = {
        "ANTHROPIC_BASE_URL": providers[CLAUDE].anthropic_url,
        "GOOGLE_GEMINI_BASE_URL": providers[GEMINI].gemini_url,
    }
    async with World.open(folder, provider=providers[GPT], **env) as world:
        ada = await join(world, "Ada Moreno", "ada@example.org", Role.OWNER)
        demo = Demo(world, ada, providers, "", "")
        project = await furnish(demo)
        for title, question in TALKS:
            await talk(demo, title, [question])
        cited = await cite(demo, project)
        worked = await work(demo, project)
        conversation = await discuss(demo, project)
        await remember(demo)
        yield replace(demo, conversation=conversation, project=project, cited=cited, worked=worked)


async def join(world: World, name: str, email: str, role: Role, *, home: str | None = None) -> Person:
    """Add somebody who can sign in, and whose own programs have a token."""
    user = await users.create_user(
        world.db, email=email, password=PASSWORD, name=name, role=role, workspace_id=home
    )
    workspace = (await world.db.read(lambda tx: users.list_memberships(tx, user.id), by=None))[0].workspace_id
    principal = Principal(user.id, workspace, role)
    made = await world.db.write(lambda tx: api_tokens.create_token(tx, "Command line"), by=principal)
    person = Person(principal, made.secret, world.client(made.secret))
    world.people.append(person)
    return person


async def made(person: Person, path: str, body: Mapping[str, object]) -> str:
    """Create something, and return its id."""
    answered = await person.post(path, body)
    assert answered.status_code in {200, 201}, answered.text
    return answered.json()["id"]


async def furnish(demo: Demo) -> str:
    """Add what a workspace has besides its talk, and return the project."""
    ada = demo.ada
    settings = {"name": "Reading Room", "settings": {"default_models": list(TABLE)}}
    answered = await ada.client.patch("/api/workspace", json=settings)
    assert answered.status_code == 200, answered.text
    for name, email, role in MEMBERS:
        await join(demo.world, name, email, role, home=ada.principal.workspace_id)
    await made(ada, "/api/invitations", {"email": "sofia@example.org", "role": "member"})
    await made(ada, "/api/presets", {"name": "Round table", "models": list(TABLE), "merge_model": CLAUDE})
    await made(ada, "/api/presets", {"name": "Quick pair", "models": ["gpt-5-mini", "gemini-2.5-flash"]})
    await made(ada, "/api/tokens", {"name": "Laptop", "expires_in_days": 90})
    await made(ada, "/api/tokens", {"name": "Nightly report"})
    await made(ada, "/api/projects", {"name": "Garden in the yard"})
    project = {
        "name": "Sign-up service",
        "description": "One service for all new accounts.",
        "brief": told("brief"),
        "instructions": "Answer for engineers. Prefer boring technology, and say what it costs.",
        "settings": {"context_strategy": "balanced", "default_models": list(TABLE)},
    }
    return await made(ada, "/api/projects", project)


async def talk(demo: Demo, title: str, questions: list[str], *, project: str | None = None) -> str:
    """Ask the whole table, one question after the other."""
    conversation = await made(demo.ada, "/api/conversations", {"title": title, "project_id": project})
    for question in questions:
        await demo.ada.ask(question, conversation_id=conversation, models=list(TABLE))
    return conversation


async def discuss(demo: Demo, project: str) -> str:
    """Have the conversation of the pictures: two rounds, and a joint answer after the first."""
    for model in TABLE:
        demo.script(
            model, msgspec.structs.replace(answer(model), reply=OPINIONS[model], thinking="", usage=None)
        )
    conversation = await talk(demo, "A Bloom filter for sign-up", [FIRST], project=project)
    page = (await demo.ada.get(f"/api/conversations/{conversation}")).json()
    demo.script(GPT, msgspec.structs.replace(answer(GPT), reply=told("merged"), usage=None))
    merged = await demo.ada.post(f"/api/rounds/{page['rounds'][0]['id']}/merge", {"model": GPT})
    assert merged.status_code in {200, 202}, merged.text
    await until_closed(demo.ada, conversation)
    for model in TABLE:
        demo.script(model, answer(model))
    await demo.ada.ask(QUESTION, conversation_id=conversation, models=list(TABLE))
    return conversation


async def remember(demo: Demo) -> None:
    """Write memories and a profile, and have proposals wait in the inbox."""
    for memory in MEMORIES:
        await made(demo.ada, "/api/memories", memory)
    await demo.ada.put("/api/memory/consent", {"consented": True})
    await demo.ada.put("/api/memory/profile", PROFILE)
    conversation = await talk(demo, "Dinner for six", [ABOUT])
    found = await demo.ada.post("/api/memories/extract", {"conversation_id": conversation})
    assert found.is_success, found.text


async def cite(demo: Demo, project: str) -> str:
    """Put files into the project, and have a question answered from them once they can be found."""
    for path, name in FILES.items():
        body = {"path": path, "content": (HERE / name).read_text("utf-8")}
        answered = await demo.ada.post(f"/api/projects/{project}/files", body)
        assert answered.status_code == 201, answered.text
    for _ in range(300):
        found = (await demo.ada.post(f"/api/projects/{project}/search", {"query": "filter"})).json()["hits"]
        if len({hit["source_id"] for hit in found}) == len(FILES):
            break
        await asyncio.sleep(0.1)
    demo.script(GPT, msgspec.structs.replace(answer(GPT), reply=CITING, usage=None))
    conversation = await made(
        demo.ada, "/api/conversations", {"title": "When the filter is rebuilt", "project_id": project}
    )
    # A reply goes on without sources that cannot be found in time.
    with patch("tertulia.context.recall.RECALL_TIMEOUT_SECONDS", 20):
        await demo.ada.ask(SOURCED, conversation_id=conversation, models=[GPT])
    return conversation


async def work(demo: Demo, project: str) -> str:
    """Have a model look into the project, and wait for leave to write to somebody."""
    give_letters(demo.world)
    quiet = msgspec.structs.replace(answer(GPT), usage=None)
    demo.script(
        GPT,
        msgspec.structs.replace(quiet, reply="I look it up first.", tool_calls=[LOOK, READ]),
        msgspec.structs.replace(
            quiet, reply="Each night. I tell Grace.", tool_calls=[TELL], always_calls=True
        ),
    )
    body = {"title": "Tell Grace about the filter", "project_id": project}
    conversation = await made(demo.ada, "/api/conversations", body)
    turn = await demo.ada.start(ERRAND, conversation_id=conversation, models=[GPT])
    await demo.ada.wait_for(turn, "reply.waiting")
    return conversation


async def until_closed(person: Person, conversation: str) -> None:
    """Wait until nobody writes any more."""
    async for event in person.events(conversation, after=0):
        if event["type"] == "reply.closed" and event["reply"]["kind"] == "merge":
            return


def answer(model: str, *, pace: float = 80) -> Script:
    """Return what a model at the table says to the question of the pictures."""
    thinking = told("thinking") if model == CLAUDE else ""
    usage = ScriptedUsage(input=1840, output=412, cached=1024, thinking=86 if thinking else 0)
    return Script(
        title=OFFERS[model][model],
        reply=told(model),
        thinking=thinking,
        first_token_seconds=0.4,
        tokens_per_second=pace,
        usage=usage,
    )
