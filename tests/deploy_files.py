"""What the files of `deploy/` say, taken out of their formats."""

import json
import re
import shlex
import string
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
COMPOSE_FILES = sorted((DEPLOY / "compose").glob("*.yaml"))
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
CADDY_FILES = sorted((DEPLOY / "caddy").iterdir())
NGINX_SITE = DEPLOY / "nginx" / "tertulia.conf"
PROGRAM = "tertulia"
POD_OWNERS = ("Deployment", "Job")
#: nginx counts in powers of 1024, Caddy in powers of 1000.
BYTES_PER_UNIT = {"m": 1024**2, "MB": 1000**2}
SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600}

Yaml = dict[str, Any]


def container_instructions() -> list[tuple[str, str]]:
    """Return the instructions of the container file with their arguments, continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def container_argument(instruction: str) -> str:
    """Return the argument of an instruction, as its last use says."""
    return [argument for name, argument in container_instructions() if name == instruction][-1]


def container_command() -> list[str]:
    """Return what a container runs when nobody says anything else."""
    return [*json.loads(container_argument("ENTRYPOINT")), *json.loads(container_argument("CMD"))]


def compose_services(path: Path) -> dict[str, Yaml]:
    """Return the services of a compose file by their names."""
    return yaml.safe_load(path.read_text("utf-8"))["services"]


def program_services(path: Path) -> dict[str, Yaml]:
    """Return the services of a compose file that run our own image."""
    return {
        name: service
        for name, service in compose_services(path).items()
        if service["image"].startswith(f"{PROGRAM}:")
    }


def kubernetes_objects() -> list[Yaml]:
    """Return every object of the manifests."""
    paths = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    objects = [item for path in paths for item in yaml.safe_load_all(path.read_text("utf-8"))]
    return [item for item in objects if item["kind"] != "Kustomization"]


def kubernetes_containers() -> list[tuple[Yaml, Yaml]]:
    """Return every container that Kubernetes starts, each after its pod."""
    pods = [item["spec"]["template"]["spec"] for item in kubernetes_objects() if item["kind"] in POD_OWNERS]
    return [(pod, container) for pod in pods for container in pod["containers"]]


def read_unit(path: Path) -> dict[str, str]:
    """Return the settings of a unit; of one that stands twice the last value counts."""
    return dict(re.findall(r"^(\w+)=(.*)$", path.read_text("utf-8"), re.MULTILINE))


def commands() -> Iterator[tuple[Path, list[str]]]:
    """Yield every command line of the program, with the file where it stands."""
    readme = DEPLOY / "README.md"
    for arguments in find_values(readme, r"^\$ (?:\S*/)?tertulia (.+)$"):
        yield readme, [PROGRAM, *shlex.split(arguments)]
    yield DEPLOY / "Dockerfile", container_command()
    for path in COMPOSE_FILES:
        for service in program_services(path).values():
            yield path, [PROGRAM, *service["command"]]
    for _, container in kubernetes_containers():
        yield DEPLOY / "kubernetes", [PROGRAM, *container["args"]]
    for path in UNITS:
        variables = dict(find_values(path, r"^Environment=(\w+)=(.*)$"))
        program, *arguments = shlex.split(Template(read_unit(path)["ExecStart"]).substitute(variables))
        yield path, [Path(program).name, *arguments]


def find_values(path: Path, pattern: str) -> list[Any]:
    """Return what the groups of a pattern find in a file; they must find something."""
    found = re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)
    assert found, f"{path.relative_to(ROOT)} has nothing like {pattern}"
    return found


def to_bytes(size: str) -> int:
    """Return a size such as `502m` in bytes."""
    digits = size.rstrip(string.ascii_letters)
    return int(digits) * BYTES_PER_UNIT[size.removeprefix(digits)]


def to_seconds(duration: str) -> int:
    """Return a time such as `45s` in seconds; a number alone is seconds too."""
    digits = duration.rstrip(string.ascii_letters)
    return int(digits) * SECONDS_PER_UNIT[duration.removeprefix(digits) or "s"]
