"""No door sends a request where it may not go: every door, every form of an address, at every connection."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models_world import ModelsWorld, client_of
from tests.tool_servers import NOTES

from tertulia.cli.check_results import CheckState
from tertulia.cli.provider_checks import check_providers
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.remote import RemoteEmbedder
from tertulia.infra.http import outbound
from tertulia.infra.http.outbound import REACH_EXTENSION, ConnectionPool, DestinationRefused, make_client
from tertulia.infra.http.ssrf import NetworkReach, is_allowed_address, parse_address
from tertulia.models.connection_urls import check_base_url
from tertulia.models.errors import ConnectionInvalid
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.service import Models
from tertulia.settings import Settings
from tertulia.tools.domain import Effect, ToolCaller
from tertulia.tools.http.http_tool import HttpService, HttpTool
from tertulia.tools.http.openapi import read_document
from tertulia.tools.mcp.http_transport import HttpTransport

PUBLIC = "93.184.216.34"
#: No request goes there, whoever named it.
NOWHERE = [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "0.0.0.0",
    "0.1.2.3",
    "224.0.0.1",
    "255.255.255.255",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "::ffff:0:169.254.169.254",
    "2002:a9fe:a9fe::1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "64:ff9b:1:a9fe:a9:fe00::",
    "2001:0:a9fe:a9fe::1",
    "2001:db8::5efe:a9fe:a9fe",
    "64:ff9b::6464:64c8",
]
#: A request goes there only where an operator or an admin named it.
INSIDE = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "198.18.0.1",
    "240.0.0.1",
    "::1",
    "fd00::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
]
NUMBERS = count()
ADA, MEL = "ada@w1:owner", "mel@w1:member"
CALLER = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)


@dataclass
class Network:
    """A stand-in for name servers and the network behind them: every call is noted, none is answered."""

    addresses: list[str] = field(default_factory=list[str])
    looked_up: list[str] = field(default_factory=list[str])
    called: list[str] = field(default_factory=list[str])

    async def resolve(self, host: str, port: int) -> list[str]:
        self.looked_up.append(host)
        return self.addresses

    async def connect(self, addresses: list[object], port: int, **_: object) -> object:
        self.called += map(str, addresses)
        raise OSError("no network in tests")


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    network = Network()
    monkeypatch.setattr(outbound, "resolve_host", network.resolve)
    monkeypatch.setattr(outbound, "connect_first", network.connect)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return network


@pytest.fixture
async def models(tmp_path: Path, network: Network) -> AsyncGenerator[Models]:
    async with ModelsWorld(tmp_path, private_hosts=()).running() as models:
        yield models


Ask = Callable[[], Awaitable[str]]
Door = Callable[[Models, str], Awaitable[Ask]]


async def enter_connection(models: Models, who: str, url: str, *, personal: bool) -> Ask:
    """Enter a connection over HTTP; having it tried gives the code of what went wrong."""
    client = client_of(models, who)
    asked = {"kind": "openai-compatible", "base_url": url, "key": "k", "personal": personal}
    made = (await client.post("/api/connections", json=asked | {"slug": f"c{next(NUMBERS)}"})).json()

    async def ask() -> str:
        if "error" in made:
            return made["error"]["code"]
        return (await client.post(f"/api/connections/{made['id']}/test")).json()["code"]

    return ask


def with_code(asking: Callable[[], Awaitable[object]]) -> Ask:
    async def ask() -> str:
        try:
            await asking()
        except TertuliaError as error:
            return error.code
        return ""

    return ask


async def through_own(models: Models, url: str) -> Ask:
    return await enter_connection(models, MEL, url, personal=True)


async def through_owners_own(models: Models, url: str) -> Ask:
    return await enter_connection(models, ADA, url, personal=True)


async def through_workspace(models: Models, url: str) -> Ask:
    return await enter_connection(models, ADA, url, personal=False)


async def through_web_service(models: Models, url: str) -> Ask:
    operation = next(one for one in read_document(json.dumps(NOTES)).operations if one.name == "list_notes")
    tool = HttpTool(HttpService("notes", url), operation, Effect.READ, make_client())
    return with_code(lambda: tool.run({}, CALLER))


async def through_tool_server(models: Models, url: str) -> Ask:
    wire = HttpTransport(make_client(), url, {})
    await wire.open(lambda _: None, lambda _: None)
    return with_code(lambda: wire.send({"id": 1, "method": "initialize"}))


async def through_embedder(models: Models, url: str) -> Ask:
    async def endpoint() -> Endpoint:
        return Endpoint("house", "openai", check_base_url(url, trusted=True), "k")

    embedder = RemoteEmbedder(
        "house/x", model="x", endpoint=endpoint, client=make_client(), silence_seconds=5
    )

    async def ask() -> str:
        try:
            await embedder.embed(["text"], urgent=True)
        except ConnectionInvalid as error:
            return error.code
        except EmbedderUnavailable as error:
            return getattr(error.__cause__, "code", "")
        return ""

    return ask


DOORS: list[Door] = [
    through_own,
    through_owners_own,
    through_workspace,
    through_web_service,
    through_tool_server,
    through_embedder,
]
REFUSED = {"address_forbidden", "connection_invalid", "tool_address_refused"}


@pytest.mark.parametrize("door", DOORS)
async def test_a_name_of_the_internet_leads_neither_inside_nor_to_credentials(
    door: Door, models: Models, network: Network
) -> None:
    ask = await door(models, "https://models.example.com")
    for address in NOWHERE + INSIDE:
        for network.addresses in ([address], [PUBLIC, address]):
            assert await ask() in REFUSED, address
    assert network.called == []


@pytest.mark.parametrize("door", DOORS)
async def test_a_name_of_our_own_network_leads_to_no_credentials_either(
    door: Door, models: Models, network: Network
) -> None:
    ask = await door(models, "http://nas.local")
    for address in NOWHERE:
        network.addresses = [address]
        assert await ask() in REFUSED, address
    assert network.called == []


@pytest.mark.parametrize("door", DOORS)
async def test_an_address_that_may_not_be_asked_is_refused_in_every_spelling(
    door: Door, models: Models, network: Network
) -> None:
    spellings = [f"[{one}]" if ":" in one else one for one in NOWHERE if "%" not in one]
    for host in (*spellings, "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518"):
        assert await (await door(models, f"http://{host}"))() in REFUSED, host
    assert network.called == network.looked_up == []


@pytest.mark.parametrize("door", DOORS)
async def test_what_was_checked_is_what_is_called_however_a_name_changes(
    door: Door, models: Models, network: Network
) -> None:
    network.addresses = [PUBLIC, "2606:2800:220:1::1", "64:ff9b::5db8:d822"]
    ask = await door(models, "https://models.example.com")
    assert await ask() not in REFUSED
    assert set(network.called) == {PUBLIC, "2606:2800:220:1::1"}

    network.called.clear()
    network.addresses = ["127.0.0.1"]
    assert await ask() in REFUSED
    assert network.called == []


@pytest.mark.parametrize(
    "door", [through_owners_own, through_workspace, through_web_service, through_tool_server]
)
async def test_an_admin_may_name_a_server_of_our_own_network(
    door: Door, models: Models, network: Network
) -> None:
    network.addresses = ["192.168.1.20"]
    for host, address in (
        ("nas.local", "192.168.1.20"),
        ("127.0.0.1", "127.0.0.1"),
        ("[fd00::1]", "fd00::1"),
    ):
        network.called.clear()
        assert await (await door(models, f"http://{host}:11434"))() not in REFUSED
        assert set(network.called) == {address}


async def test_a_member_may_not_name_a_server_of_our_own_network(models: Models, network: Network) -> None:
    network.addresses = ["192.168.1.20"]
    for host in ("nas.local", "localhost", "127.0.0.1", "127.1", "10.0.0.1", "[::1]", "100.64.0.1"):
        assert await (await through_own(models, f"http://{host}:11434"))() == "connection_invalid"
    async with client_of(models, MEL) as client:
        asked = {"kind": "openai", "slug": "mine", "key": "k", "personal": True}
        made = (await client.post("/api/connections", json=asked)).json()
        moved = {"base_url": "http://127.0.0.1:1", "key": "k"}
        changed = await client.put(f"/api/connections/{made['id']}", json=moved)
    assert changed.json()["error"]["code"] == "connection_invalid"
    assert network.called == []


async def test_an_admin_who_becomes_a_member_no_longer_reaches_our_own_network(
    models: Models, network: Network
) -> None:
    asked = {"kind": "openai-compatible", "slug": "mine", "base_url": "http://10.0.0.1", "personal": True}
    async with client_of(models, "mel@w1:admin") as admin, client_of(models, MEL) as member:
        path = f"/api/connections/{(await admin.post('/api/connections', json=asked)).json()['id']}/test"
        assert (await admin.post(path)).json()["code"] == "provider_down"
        network.called.clear()
        assert (await member.post(path)).json()["code"] == "address_forbidden"
    assert network.called == []


async def test_the_operator_opens_hosts_of_our_own_network_to_members(
    tmp_path: Path, network: Network
) -> None:
    network.addresses = ["10.1.2.3"]
    hosts = ("models.example.com", "10.9.0.0/16")
    async with ModelsWorld(tmp_path, private_hosts=hosts).running() as models:
        for url in ("https://models.example.com", "http://10.9.1.1"):
            assert await (await through_own(models, url))() == "provider_down"
        assert set(network.called) == {"10.1.2.3", "10.9.1.1"}
        assert await (await through_own(models, "https://other.example.com"))() == "address_forbidden"
        network.addresses = ["169.254.169.254"]
        assert await (await through_own(models, "https://models.example.com"))() == "address_forbidden"


async def test_the_operators_own_servers_may_be_anywhere_but_at_credentials(
    tmp_path: Path, network: Network
) -> None:
    env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://models.example.com"}
    async with ModelsWorld(tmp_path, env, private_hosts=()).running() as models:
        for address, refused in (("10.1.2.3", False), ("169.254.169.254", True)):
            network.addresses = [address]
            listing = await models.refresh(Principal("usr_1", "wsp_1", Role.MEMBER))
            assert ("may not" in str(listing)) == refused
    assert set(network.called) == {"10.1.2.3"}


def test_asking_the_providers_of_the_environment_by_hand_is_no_way_out(
    tmp_path: Path, network: Network
) -> None:
    network.addresses = ["169.254.169.254"]
    env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://models.example.com"}
    [finding] = check_providers(Settings(data_dir=tmp_path, provider_env=env))
    assert finding.state is CheckState.FAIL
    assert network.called == []


async def test_a_connection_that_is_kept_is_not_used_by_a_request_of_less_reach() -> None:
    lines = ConnectionPool()
    asked = [httpx2.Request("GET", "http://nas.local/"), httpx2.Request("GET", "http://nas.local/")]
    asked[0].extensions = {REACH_EXTENSION: NetworkReach.NETWORK}
    assert lines.server_key_of(asked[0]) != lines.server_key_of(asked[1])


@pytest.mark.parametrize("bypassed", [True, False])
async def test_a_proxy_is_no_way_around_what_can_be_checked(
    bypassed: bool, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "models.example.com" if bypassed else "")
    network.addresses = ["127.0.0.1"]
    async with make_client() as client:
        for host in ["models.example.com"] * bypassed + ["169.254.169.254", "[::1]", "metadata"]:
            with pytest.raises(DestinationRefused):
                await client.get(f"https://{host}/")


@given(number=st.integers(0, 2**32 - 1))
def test_an_ipv6_form_of_an_address_is_allowed_no_more_than_the_address(number: int) -> None:
    plain = parse_address(str(number))
    assert plain is not None
    high, low = number >> 16, number & 0xFFFF
    dotted = f"{high:x}:{low:x}"
    wrapped = [f"::ffff:{dotted}", f"64:ff9b::{dotted}", f"2002:{dotted}::1", f"::ffff:0:{dotted}"]
    for text in wrapped:
        address = parse_address(text)
        assert address is not None
        for reach in NetworkReach:
            assert is_allowed_address(plain, reach) or not is_allowed_address(address, reach), text
