"""Mistakes in `deploy/` are found: each of these is made on purpose in a copy of it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.lint_deploy import LINTERS
from tests.deploy_files import DEPLOY


@dataclass(frozen=True)
class Mistake:
    """A text of a file replaced by a wrong one, and what its linter says of it."""

    linter: str
    file: str
    right: str
    wrong: str
    finding: str


MISTAKES = (
    Mistake("yaml", "compose/sqlite.yaml", "init: true", "init: true\n    init: false", "duplication of key"),
    Mistake("container file", "Dockerfile", "USER 10001:10001", "USER root", "DL3002"),
    Mistake("container file", "Dockerfile", "COPY --from=web", "COPY --from=wep", "DL3022"),
    Mistake("container file", "Dockerfile", 'ENTRYPOINT ["tertulia"]', "ENTRYPOINT tertulia", "DL3025"),
    Mistake("compose schema", "compose/sqlite.yaml", "read_only:", "readonly:", "readonly"),
    Mistake("compose security", "compose/sqlite.yaml", "cap_drop: [ALL]", "privileged: true", "CL-0002"),
    Mistake("compose security", "compose/sqlite.yaml", "127.0.0.1:8400:8400", "8400:8400", "CL-0005"),
    Mistake("kubernetes", "kubernetes/web.yaml", "readOnlyRootFilesystem", "readOnlyRoot", "readOnlyRoot"),
    Mistake("kubernetes", "kubernetes/web.yaml", "replicas: 3", "replicas: three", "'three' is not of type"),
    Mistake("kubernetes", "kubernetes/web.yaml", "policy/v1", "policy/v1beta1", "Couldn't find schema"),
    Mistake("nginx", "nginx/tertulia.conf", "proxy_buffering", "proxy_bufering", "unknown directive"),
    Mistake("nginx", "nginx/tertulia.conf", "keepalive 64", "keepalive", "invalid number of arguments"),
    Mistake("caddy", "caddy/Caddyfile", "flush_interval", "flush_intervall", "flush_intervall"),
    Mistake("caddy", "caddy/Caddyfile", "dial_timeout 5s", "dial_timeout 5", "missing unit in duration"),
    Mistake("systemd", "systemd/tertulia.service", "ProtectHome=", "ProtectHoem=", "ProtectHoem"),
    Mistake("systemd", "systemd/tertulia.service", "KillMode=mixed", "KillMode=mixt", "KillMode=mixt"),
    Mistake("systemd", "systemd/tertulia.service", "ProtectSystem=strict", "ProtectSystem=full", "NStrict"),
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.linter}: {mistake.wrong}")
def test_a_mistake_is_found(mistake: Mistake, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DEPLOY, tmp_path / "deploy"))
    linter = next(linter for linter in LINTERS if linter.name == mistake.linter)
    text = (folder / mistake.file).read_text("utf-8")
    assert mistake.right in text
    (folder / mistake.file).write_text(text.replace(mistake.right, mistake.wrong), "utf-8")
    assert mistake.finding in linter.find_faults(folder)
