"""The catalogue: names, collisions, precedence, failing servers and restarts."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.listening import listening
from tests.models_world import CANARY, ModelsWorld, heard_from, person, text_of
from tests.scripted_provider import Fault, Script, ScriptedProvider

from tertulia.core.principal import Principal, Role
from tertulia.models import catalogue as catalogue_module
from tertulia.models import connection_registry, offered_models
from tertulia.models.connection_service import ConnectionChange, NewConnection
from tertulia.models.connections import ConnectionKind
from tertulia.models.errors import BuiltinMissing, KeyRejected, ModelUnknown
from tertulia.models.service import Models

ANN = person("ann")
BOB = person("bob", role=Role.MEMBER)
DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture
def server() -> Iterator[ScriptedProvider]:
    with ScriptedProvider.running() as running:
        yield running


@pytest.fixture
def second() -> Iterator[ScriptedProvider]:
    with ScriptedProvider.running() as running:
        yield running


def at(url: str, slug: str, *, personal: bool = False, key: str = "some-key") -> NewConnection:
    return NewConnection(ConnectionKind.COMPATIBLE, slug, url, key, personal=personal)


def openai_env(server: ScriptedProvider) -> dict[str, str]:
    return {"OPENAI_API_KEY": "some-key", "OPENAI_BASE_URL": server.openai_url}


async def ids(models: Models, by: Principal = ANN) -> list[str]:
    return [model.id for model in (await models.catalogue(by)).models]


async def test_a_model_is_found_by_its_name_and_answers(tmp_path: Path, server: ScriptedProvider) -> None:
    server.script("gpt-5", Script(reply="Hello from afar."))
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        resolved = await models.resolve("gpt-5", ANN)
        assert (resolved.model.connection, resolved.model.title) == ("openai", "GPT-5")
        assert text_of(await heard_from(resolved, "Hi")) == "Hello from afar."


async def test_all_three_formats_are_listed_side_by_side(tmp_path: Path, server: ScriptedProvider) -> None:
    env = openai_env(server) | {
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": server.anthropic_url,
        "GEMINI_API_KEY": "k",
        "GOOGLE_GEMINI_BASE_URL": server.gemini_url,
    }
    async with ModelsWorld(tmp_path, env).running() as models:
        listing = await models.catalogue(ANN)
        assert listing.problems == ()
        assert {model.connection for model in listing.models} == {"openai", "anthropic", "google", "builtin"}


async def test_the_same_name_belongs_to_the_first_and_the_other_gets_its_slug(
    tmp_path: Path, server: ScriptedProvider, second: ScriptedProvider
) -> None:
    server.script("gpt-5", Script(reply="from the environment"))
    second.script("gpt-5", Script(reply="from the workspace"))
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        await models.add_connection(at(second.openai_url, "house"), ANN)
        listed = await ids(models)
        assert "gpt-5" in listed
        assert "openai/gpt-5" in listed
        assert len(set(listed)) == len(listed)
        for reference, reply in {
            "gpt-5": "from the workspace",
            "house/gpt-5": "from the workspace",
            "openai/gpt-5": "from the environment",
        }.items():
            assert text_of(await heard_from(await models.resolve(reference, ANN), "Hi")) == reply


async def test_every_listed_id_resolves_to_itself(
    tmp_path: Path, server: ScriptedProvider, second: ScriptedProvider
) -> None:
    second.script("openai/gpt-5", Script())
    second.script("openai/unheard-of", Script())
    server.script("gpt-5", Script())
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        await models.add_connection(at(second.openai_url, "router"), ANN)
        listing = await models.catalogue(ANN)
        for model in listing.models:
            assert (await models.resolve(model.id, ANN)).model == model
            assert (await models.resolve(f"{model.connection}/{model.name}", ANN)).model == model
        assert "router/openai/gpt-5" in await ids(models)
        assert (await models.resolve("openai/gpt-5", ANN)).model.connection == "openai"
        assert (await models.resolve("openai/unheard-of", ANN)).model.connection == "router"


async def test_a_persons_own_connection_wins_and_is_theirs_alone(
    tmp_path: Path, server: ScriptedProvider, second: ScriptedProvider
) -> None:
    server.script("gpt-5", Script(reply="shared"))
    second.script("gpt-5", Script(reply="Bob's own"))
    async with ModelsWorld(tmp_path, {}).running() as models:
        await models.add_connection(at(server.openai_url, "house"), ANN)
        await models.add_connection(at(second.openai_url, "house", personal=True), BOB)
        assert text_of(await heard_from(await models.resolve("gpt-5", BOB), "Hi")) == "Bob's own"
        assert text_of(await heard_from(await models.resolve("gpt-5", ANN), "Hi")) == "shared"
        stranger = person("eve", "w2")
        with pytest.raises(ModelUnknown):
            await models.resolve("gpt-5", stranger)


async def test_one_failing_server_does_not_hide_the_others(tmp_path: Path, server: ScriptedProvider) -> None:
    env = openai_env(server) | {"XAI_API_KEY": CANARY, "XAI_BASE_URL": DEAD}
    async with ModelsWorld(tmp_path, env).running() as models:
        listing = await models.catalogue(ANN)
        assert "scripted-smart" in [model.id for model in listing.models]
        (problem,) = listing.problems
        assert problem.connection == "xai"
        assert CANARY not in problem.message


async def test_after_a_restart_an_unreachable_servers_models_still_show(tmp_path: Path) -> None:
    for_now = ScriptedProvider.running()
    server = await asyncio.to_thread(for_now.__enter__)
    world = ModelsWorld(tmp_path, openai_env(server))
    server.script("gpt-5", Script())
    async with world.running() as models:
        assert "gpt-5" in await ids(models)
        await models.add_connection(at(server.openai_url, "house"), ANN)
        assert (await models.catalogue(ANN)).stale_connections == frozenset()
    await asyncio.to_thread(for_now.__exit__, None, None, None)
    async with world.running() as models:
        assert (await models.resolve("gpt-5", ANN)).model.connection == "house"
        listing = await models.catalogue(ANN)
        assert {"gpt-5", "openai/gpt-5"} <= {model.id for model in listing.models}
        assert listing.stale_connections == {"openai", "house"}
        assert {problem.connection for problem in listing.problems} == {"openai", "house"}


async def test_a_list_from_another_address_is_not_taken_over(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        assert "scripted-smart" in await ids(models)
    moved = ModelsWorld(tmp_path, {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": DEAD})
    async with moved.running() as models:
        assert "scripted-smart" not in await ids(models)


async def test_lists_are_asked_for_once_and_again_on_request(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        for _ in range(3):
            await models.catalogue(ANN)
            await models.catalogue(person("bob", "w2"))
        assert "new-model" not in await ids(models)
        server.script("new-model", Script())
        assert "new-model" not in await ids(models)
        assert "new-model" in [model.id for model in (await models.refresh(ANN)).models]


async def test_resolving_a_known_name_takes_microseconds_and_asks_nobody(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        await models.resolve("scripted-smart", ANN)

        async def seconds_for_one() -> float:
            started = time.perf_counter()
            for _ in range(50):
                await models.resolve("scripted-smart", ANN)
            return (time.perf_counter() - started) / 50

        # The quickest of several: the others may have waited for a core.
        assert min([await seconds_for_one() for _ in range(20)]) < 100e-6


async def test_an_outdated_table_answers_at_once_and_is_renewed_behind(
    tmp_path: Path, server: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        await models.resolve("scripted-smart", ANN)
        monkeypatch.setattr(catalogue_module, "CONNECTIONS_TTL_SECONDS", -1)
        monkeypatch.setattr(connection_registry, "CONNECTIONS_TTL_SECONDS", -1)
        monkeypatch.setattr(offered_models, "MODEL_LIST_TTL_SECONDS", -1)
        assert (await models.resolve("scripted-smart", ANN)).model.name == "scripted-smart"


async def test_a_name_that_no_list_holds_is_tried_where_its_slug_says(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        resolved = await models.resolve("openai/gpt-99-secret", ANN)
        assert (resolved.model.id, resolved.model.name) == ("openai/gpt-99-secret", "gpt-99-secret")
        for unknown in ("gpt-99-secret", "nowhere/gpt-5", "openai/", "", "/"):
            with pytest.raises(ModelUnknown):
                await models.resolve(unknown, ANN)


async def test_a_model_that_just_appeared_is_found_without_a_refresh(
    tmp_path: Path, server: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_module, "UNKNOWN_MODEL_REFRESH_SECONDS", -1)
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        await models.catalogue(ANN)
        server.script("pulled-just-now", Script())
        assert (await models.resolve("pulled-just-now", ANN)).model.connection == "openai"


async def test_a_new_key_counts_at_once_and_a_removed_connection_is_gone(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    async with ModelsWorld(tmp_path, {}).running() as models:
        added = await models.add_connection(at(server.openai_url, "house", key="first-key-0001"), ANN)
        await heard_from(await models.resolve("scripted-smart", ANN), "Hi")
        await models.change_connection(added.id, ConnectionChange(key="second-key-0002"), ANN)
        await heard_from(await models.resolve("scripted-smart", ANN), "Hi")
        used = [request.headers["authorization"] for request in server.requests("scripted-smart")]
        assert used == ["Bearer first-key-0001", "Bearer second-key-0002"]
        await models.remove_connection(added.id, ANN)
        with pytest.raises(ModelUnknown):
            await models.resolve("scripted-smart", ANN)


async def test_a_key_removed_in_one_process_is_refused_in_another_within_a_second(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    world = ModelsWorld(tmp_path, {"TERTULIA_SECRET_KEY": "the same in all processes"})
    async with world.running() as here, world.running() as there:
        added = await here.add_connection(at(server.openai_url, "house", key="first-key-0001"), ANN)
        await heard_from(await there.resolve("scripted-smart", ANN), "Hi")
        await here.change_connection(added.id, ConnectionChange(key="second-key-0002"), ANN)
        async with asyncio.timeout(1):
            while await is_used(there, server, "first-key-0001"):
                pass
        await here.remove_connection(added.id, ANN)
        async with asyncio.timeout(1):
            while await is_used(there, server, "second-key-0002"):
                pass
        with pytest.raises(ModelUnknown):
            await there.resolve("scripted-smart", ANN)


async def is_used(models: Models, server: ScriptedProvider, key: str) -> bool:
    """Ask a model, and tell whether this key was sent along."""
    try:
        await heard_from(await models.resolve("scripted-smart", ANN), "Hi")
    except ModelUnknown:
        return False
    return server.requests("scripted-smart")[-1].headers["authorization"] == f"Bearer {key}"


async def test_with_the_wrong_secret_key_the_connection_says_so_and_the_rest_works(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    env = openai_env(server)
    first = ModelsWorld(tmp_path, env | {"TERTULIA_SECRET_KEY": "the first secret key"})
    async with first.running() as models:
        await models.add_connection(at(server.openai_url, "house", key=CANARY), ANN)
    second = ModelsWorld(tmp_path, env | {"TERTULIA_SECRET_KEY": "quite another secret key"})
    async with second.running() as models:
        listing = await models.catalogue(ANN)
        assert {problem.connection for problem in listing.problems} == {"house"}
        assert "TERTULIA_SECRET_KEY" in listing.problems[0].message
        assert (await models.resolve("openai/scripted-smart", ANN)).model.connection == "openai"
        with pytest.raises(KeyRejected):
            await models.resolve("house/scripted-smart", ANN)


async def test_a_server_that_answers_too_slowly_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offered_models, "MODEL_LIST_MAX_SECONDS", 0.1)

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with listening(never) as port:
        url = f"http://127.0.0.1:{port}/v1"
        async with ModelsWorld(tmp_path, {"OPENAI_BASE_URL": url}).running() as models:
            started = time.monotonic()
            (problem,) = (await models.catalogue(ANN)).problems
            assert time.monotonic() - started < 2
            assert "openai" in problem.message


async def test_the_librarian_is_always_there_and_the_built_in_model_can_be_hidden(tmp_path: Path) -> None:
    async with ModelsWorld(tmp_path, builtin_model=False).running() as models:
        assert await ids(models) == ["librarian"]
        assert "I find nothing" in text_of(await heard_from(await models.resolve("librarian", ANN), "Hi"))
    async with ModelsWorld(tmp_path, builtin_model=True).running() as models:
        assert await ids(models) == ["smollm2", "librarian"]
        small = (await models.resolve("builtin/smollm2", ANN)).model
        assert (small.id, small.context_window, small.local) == ("smollm2", 8192, True)


async def test_without_its_weights_the_built_in_model_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "elsewhere"))
    async with ModelsWorld(tmp_path, builtin_model=True).running() as models:
        (problem,) = (await models.catalogue(ANN)).problems
        assert "tertulia models install builtin" in problem.message
        with pytest.raises(BuiltinMissing, match="tertulia models install builtin"):
            await heard_from(await models.resolve("smollm2", ANN), "Hi")


async def test_chores_go_to_the_cheapest_quick_model_and_never_to_the_built_in_ones(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    for name in ("gpt-5", "gpt-5-nano", "gpt-3.5-turbo", "gpt-4o-mini"):
        server.script(name, Script())
    async with ModelsWorld(tmp_path, openai_env(server), builtin_model=True).running() as models:
        chosen = await models.utility_model(ANN)
        assert chosen is not None
        assert chosen.model.name == "gpt-5-nano"
        named = await models.utility_model(ANN, "gpt-4o-mini")
        assert named is not None
        assert named.model.name == "gpt-4o-mini"
    async with ModelsWorld(tmp_path, openai_env(server), utility_model="gpt-5").running() as models:
        configured = await models.utility_model(ANN)
        assert configured is not None
        assert configured.model.name == "gpt-5"
    async with ModelsWorld(tmp_path, {}, builtin_model=True).running() as models:
        assert await models.utility_model(ANN) is None


async def test_a_failing_reply_is_an_error_that_says_what_to_do(
    tmp_path: Path, server: ScriptedProvider
) -> None:
    server.script("gpt-5", Script(fault=Fault(kind="status", status=401)))
    async with ModelsWorld(tmp_path, openai_env(server)).running() as models:
        with pytest.raises(KeyRejected, match="openai"):
            await heard_from(await models.resolve("gpt-5", ANN), "Hi")
