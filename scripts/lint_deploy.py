"""Lint every file of `deploy/` with the tool that knows its format: `python -m scripts.lint_deploy`.

All tools come from the package registries and need no network, no daemon and no root.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

DEPLOY = Path("deploy")
#: The oldest Kubernetes whose schemas the manifests must satisfy.
KUBERNETES_VERSION = "1.34"
YAML_RULES = """
extends: default
rules: {line-length: {max: 120}, document-start: disable, braces: disable, comments-indentation: disable}
"""
#: Rules of compose-lint that do not fit, each with the reason.
COMPOSE_RULES = """
rules:
  CL-0019: {enabled: false, reason: "the image is built here; the others get their fixes by tag"}
  CL-0026: {enabled: false, reason: "memory and processes are limited; processors go to whoever needs them"}
  CL-0005: {exclude_services: {caddy: "people come in here"}}
"""
#: Findings of systemdlint that do not hold: it misreads an octal mask, and wants control groups delegated.
IGNORED_UNIT_FINDINGS = ("[Security.UMaskOW]", "[Security.Delegate]")
NGINX_SITE = "events {{}}\nhttp {{\n    include {path};\n}}\n"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool said, and whether it was content."""

    passed: bool
    text: str


@dataclass(frozen=True, slots=True)
class Linter:
    """One way of looking at the files that match a pattern."""

    name: str
    pattern: str
    lint: Callable[[Sequence[Path]], str]

    def find_faults(self, folder: Path) -> str:
        """Return what is wrong with the files of a folder; nothing where all is well."""
        paths = sorted(folder.glob(self.pattern))
        return self.lint(paths) if paths else f"No file matches {folder / self.pattern}."


def run_tool(*command: str | Path) -> ToolResult:
    """Run a tool of the environment that runs this."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [str(part) for part in command],
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ToolResult(done.returncode == 0, done.stdout.strip())


def faults_of(*command: str | Path) -> str:
    """Return what a tool says when it fails, and nothing when it does not."""
    result = run_tool(*command)
    return "" if result.passed else result.text or f"{command[0]} failed without a word."


def lint_yaml(paths: Sequence[Path]) -> str:
    """Find keys that stand twice, and what is hard to read."""
    return faults_of("yamllint", "--strict", "--format", "parsable", "--config-data", YAML_RULES, *paths)


def lint_container_file(paths: Sequence[Path]) -> str:
    """Find mistakes in the container file and in the shell inside it."""
    return faults_of("hadolint", *paths)


def lint_compose_schema(paths: Sequence[Path]) -> str:
    """Find what the specification of compose does not know."""
    return faults_of("check-jsonschema", "--builtin-schema", "vendor.compose-spec", *paths)


def lint_compose_security(paths: Sequence[Path]) -> str:
    """Find services that may do more than they need."""
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as rules:
        rules.write(COMPOSE_RULES)
        rules.flush()
        options = ("--quiet", "--skip-suppressed", "--no-env", "--strict-config", "--fail-on", "low")
        return faults_of("compose-lint", "check", *options, "--config", rules.name, *paths)


def lint_kubernetes(paths: Sequence[Path]) -> str:
    """Find what the schemas of Kubernetes do not know; a kind without a schema is a fault as well."""
    manifests = [path for path in paths if path.name != "kustomization.yaml"]
    command = ("kubernetes-validate", "--strict", "--quiet", "--kubernetes-version", KUBERNETES_VERSION)
    return run_tool(*command, *manifests).text


def lint_nginx(paths: Sequence[Path]) -> str:
    """Find directives that nginx does not know, or not there, or not with these arguments."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as main:
        main.writelines(NGINX_SITE.format(path=path.resolve()) for path in paths)
        main.flush()
        result = run_tool("crossplane", "parse", "--strict", main.name)
    if not result.passed:
        return result.text
    return "\n".join(str(fault["error"]) for fault in json.loads(result.text)["errors"])


def lint_caddy(paths: Sequence[Path]) -> str:
    """Have Caddy itself load its configuration, and compare it with what its formatter makes of it."""
    validate = ("caddy", "validate", "--adapter", "caddyfile", "--config")
    faults = [faults_of(*validate, path) or faults_of("caddy", "fmt", "--diff", path) for path in paths]
    return "\n".join(filter(None, faults))


def lint_units(paths: Sequence[Path]) -> str:
    """Find settings that systemd does not know or cannot read, and walls that are missing."""
    lines = run_tool("systemdlint", "--norootfs", *paths).text.splitlines()
    return "\n".join(line for line in lines if not any(code in line for code in IGNORED_UNIT_FINDINGS))


LINTERS = (
    Linter("yaml", "**/*.yaml", lint_yaml),
    Linter("container file", "Dockerfile", lint_container_file),
    Linter("compose schema", "compose/*.yaml", lint_compose_schema),
    Linter("compose security", "compose/*.yaml", lint_compose_security),
    Linter("kubernetes", "kubernetes/*.yaml", lint_kubernetes),
    Linter("nginx", "nginx/*.conf", lint_nginx),
    Linter("caddy", "caddy/*Caddyfile", lint_caddy),
    Linter("systemd", "systemd/*.service", lint_units),
)


def main() -> int:
    """Print every fault under the name of what found it; return 1 where there is any."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        faults = list(pool.map(lambda linter: linter.find_faults(DEPLOY), LINTERS))
    for linter, text in zip(LINTERS, faults, strict=True):
        if text:
            print(f"{linter.name}:\n{text}\n")
    return 1 if any(faults) else 0


if __name__ == "__main__":
    sys.exit(main())
