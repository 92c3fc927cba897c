"""What `deploy/` names exists, and its parts agree with the program and with each other."""

import re
import shlex
from ipaddress import IPv4Network
from pathlib import Path

import click
import pytest
import yaml
from tests.deploy_files import (
    CADDY_FILES,
    COMPOSE_FILES,
    DEPLOY,
    FILES,
    NGINX_SITE,
    PROGRAM,
    ROOT,
    UNITS,
    commands,
    compose_services,
    container_argument,
    container_instructions,
    find_values,
    program_services,
    read_unit,
    to_bytes,
    to_seconds,
)

from tertulia import __version__
from tertulia.cli.commands import LazyCommandGroup
from tertulia.cli.serve import DEFAULT_PORT
from tertulia.files.upload_limits import upload_max_bytes
from tertulia.infra.http.health import router as health
from tertulia.settings import Settings

DEFAULTS = Settings(data_dir=Path())
DATA_DIR = "/var/lib/tertulia"
#: What a process may take to stop after its replies are drained: streams, children, the last writes.
STOP_SECONDS = DEFAULTS.drain_seconds + 30
#: How the sandbox confines its workers.
SANDBOX_SYSTEM_CALLS = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"}

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DEPLOY)))
each_compose_file = pytest.mark.parametrize("path", COMPOSE_FILES, ids=lambda path: path.name)
each_unit = pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
each_caddy_file = pytest.mark.parametrize("path", CADDY_FILES, ids=lambda path: path.name)


@each_file
def test_every_variable_is_a_setting(path: Path) -> None:
    settings = (ROOT / "docs" / "guide" / "settings.md").read_text("utf-8")
    known = set(re.findall(r"^\| `([A-Z_]+)`", settings, re.MULTILINE))
    named = re.findall(r"\b(?:TERTULIA|RAG)_[A-Z_]*[A-Z]\b|\b\w+_URL\b", path.read_text("utf-8"))
    assert set(named) <= known


@pytest.mark.parametrize(
    ("path", "command"),
    [pytest.param(path, command, id=f"{path.name}: {shlex.join(command)}") for path, command in commands()],
)
def test_every_command_line_is_one_that_the_program_takes(path: Path, command: list[str]) -> None:
    program, name, *arguments = command
    assert program == PROGRAM
    found = LazyCommandGroup().get_command(click.Context(click.Command(PROGRAM)), name)
    assert found, f"{path.name} starts tertulia {name}"
    found.make_context(name, arguments)


@each_file
def test_nothing_names_a_path_of_the_machine_it_was_written_on(path: Path) -> None:
    assert not re.findall(r"(?<![\w.~-])/(?:work|root|home|Users)/[\w/.-]*", path.read_text("utf-8"))


def test_the_image_is_made_of_files_that_are_sent_to_the_builder() -> None:
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    copied = [argument for name, argument in container_instructions() if name == "COPY"]
    sources = {source for line in copied if "--from" not in line for source in line.split()[:-1]}
    assert {source.partition("/")[0] for source in sources} == {line[1:] for line in sent if line[0] == "!"}
    assert all((ROOT / source).exists() for source in sources)


def test_the_arguments_of_the_build_are_explained_with_their_defaults() -> None:
    explained = dict(find_values(DEPLOY / "README.md", r"^\| `([A-Z_]+)` \| `?(\w+)`? \|"))
    given = [argument.split("=") for name, argument in container_instructions() if name == "ARG"]
    assert explained == {name: value.strip('"') or "none" for name, value in given}


def test_the_image_runs_a_python_that_the_package_allows() -> None:
    versions = {
        tuple(map(int, text.split("."))) for text in find_values(DEPLOY / "Dockerfile", r"python:([\d.]+)")
    }
    assert len(versions) == 1
    assert versions.pop() >= (3, 11)


def test_the_image_runs_as_nobody_special_on_a_volume_of_its_own() -> None:
    assert container_argument("USER") == "10001:10001"
    assert container_argument("VOLUME") == DATA_DIR
    assert f"TERTULIA_DATA_DIR={DATA_DIR}" in container_argument("ENV")


def test_all_listen_and_ask_at_the_same_port() -> None:
    assert container_argument("EXPOSE") == str(DEFAULT_PORT)
    asked = find_values(DEPLOY / "Dockerfile", r"127\.0\.0\.1:(\d+)/")
    asked += find_values(NGINX_SITE, r"^\s*server [\d.]+:(\d+);")
    for path in CADDY_FILES:
        asked += re.findall(r":(\d+)", find_values(path, r"reverse_proxy \{\$\w+:(.+)\} \{")[0])
    listening = [
        arguments[arguments.index("--port") + 1] for _, arguments in commands() if "serve" in arguments
    ]
    assert {*asked, *listening} == {str(DEFAULT_PORT)}


def test_health_checks_ask_for_what_the_program_answers() -> None:
    answered = {getattr(route, "path", "") for route in health.routes}
    asked = set(find_values(DEPLOY / "Dockerfile", rf"127\.0\.0\.1:{DEFAULT_PORT}(/\w+)"))
    asked |= set(find_values(DEPLOY / "caddy" / "hosts.Caddyfile", r"health_uri (\S+)"))
    assert asked == {"/ready"}
    assert asked <= answered


def test_proxies_take_the_largest_upload_and_little_more() -> None:
    sizes = find_values(NGINX_SITE, r"client_max_body_size (\w+);")
    for path in CADDY_FILES:
        sizes += find_values(path, r"max_size (\w+)")
    largest = upload_max_bytes(DEFAULTS)
    assert all(largest <= to_bytes(size) < 1.1 * largest for size in sizes)


def test_nginx_hands_events_on_as_they_come() -> None:
    site = NGINX_SITE.read_text("utf-8")
    assert "proxy_buffering off;" in site
    assert "proxy_request_buffering off;" in site
    assert to_seconds(find_values(NGINX_SITE, r"proxy_read_timeout (\w+);")[0]) >= 3600


def test_proxies_close_idle_connections_before_the_program_does() -> None:
    times = find_values(NGINX_SITE, r"keepalive_timeout (\w+);")
    for path in CADDY_FILES:
        times += find_values(path, r"keepalive (\w+)")
    assert all(to_seconds(time) < DEFAULTS.idle_seconds for time in times)


def test_nginx_believes_no_address_that_a_client_gives() -> None:
    assert find_values(NGINX_SITE, r"X-Forwarded-For (\S+);") == ["$remote_addr"]


@each_unit
def test_units_keep_the_data_where_systemd_makes_room_for_it(path: Path) -> None:
    unit = path.read_text("utf-8")
    assert f"Environment=TERTULIA_DATA_DIR={DATA_DIR}" in unit
    assert read_unit(path)["StateDirectory"] == Path(DATA_DIR).name


@each_unit
def test_units_let_the_sandbox_confine_itself_and_run_what_it_compiled(path: Path) -> None:
    unit = read_unit(path)
    assert set(unit["SystemCallFilter"].split()) >= SANDBOX_SYSTEM_CALLS
    assert "MemoryDenyWriteExecute" not in unit


@each_unit
def test_units_wait_for_a_process_to_drain(path: Path) -> None:
    assert to_seconds(read_unit(path)["TimeoutStopSec"]) >= STOP_SECONDS


@each_unit
def test_units_are_started_until_postgresql_is_there(path: Path) -> None:
    unit = read_unit(path)
    assert (unit["Restart"], unit["StartLimitIntervalSec"]) == ("always", "0")


@each_compose_file
def test_compose_waits_for_a_process_to_drain(path: Path) -> None:
    for service in program_services(path).values():
        assert to_seconds(service["stop_grace_period"]) >= STOP_SECONDS


@each_compose_file
def test_compose_keeps_the_data_in_a_volume(path: Path) -> None:
    for service in program_services(path).values():
        assert f"data:{DATA_DIR}" in service["volumes"]
        assert service["image"] == f"{PROGRAM}:{__version__}"


@each_compose_file
def test_names_in_a_compose_file_lead_somewhere(path: Path) -> None:
    whole = yaml.safe_load(path.read_text("utf-8"))
    services = compose_services(path)
    for service in services.values():
        assert set(service.get("depends_on", [])) <= set(services)
        assert set(service["networks"]) <= set(whole["networks"])
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (path.parent / source).exists() if source.startswith(".") else source in whole["volumes"]


@each_compose_file
def test_compose_believes_nobody_beyond_its_own_network(path: Path) -> None:
    whole = yaml.safe_load(path.read_text("utf-8"))
    subnet = IPv4Network(whole["networks"]["front"]["ipam"]["config"][0]["subnet"])
    for service in program_services(path).values():
        trusted = IPv4Network(service["environment"]["TERTULIA_TRUSTED_PROXIES"])
        assert trusted.subnet_of(subnet)
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
