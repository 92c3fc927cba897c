"""The web app as the server hands it out."""

import re
from pathlib import Path

import pytest
from tests.world import World

from tertulia.doors import webapp


async def test_every_path_of_the_app_is_the_same_page(world: World) -> None:
    async with world.client() as client:
        pages = {path: await client.get(path) for path in ("/", "/setup", "/c/cnv_1", "/settings/tokens")}

    assert {page.status_code for page in pages.values()} == {200}
    assert len({page.text for page in pages.values()}) == 1
    policy = pages["/"].headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self' 'sha256-" in policy


async def test_whoever_only_asks_what_is_there_is_told_without_it(world: World) -> None:
    async with world.client() as client:
        for path in ("/", "/c/cnv_1", "/icon.svg", "/health", "/ready"):
            told, whole = await client.head(path), await client.get(path)
            assert (told.status_code, told.content) == (200, b"")
            for header in ("content-length", "content-type"):
                assert told.headers[header] == whole.headers[header]
        for path in ("/api/me", "/v1/models", "/mcp", "/_app/nonesuch.js"):
            assert (await client.head(path)).status_code in (404, 405)


async def test_the_page_asks_for_nothing_from_elsewhere(world: World) -> None:
    async with world.client() as client:
        page = await client.get("/")
        for path in re.findall(r'(?:href|src)="([^"]+)"', page.text):
            assert path.startswith("/")
            file = await client.get(path)
            assert file.status_code == 200
            if "/immutable/" in path:
                assert "immutable" in file.headers["cache-control"]
                assert file.headers["content-encoding"] in ("br", "gzip")
                plain = await client.get(path, headers={"Accept-Encoding": "identity"})
                assert "content-encoding" not in plain.headers
                assert plain.content == file.content


async def test_what_programs_ask_for_is_never_the_page(world: World) -> None:
    async with world.client() as client:
        for path in ("/api/nonesuch", "/v1/nonesuch", "/_app/nonesuch.js", "/_app/..%2f..%2fserver.py"):
            missing = await client.get(path)
            assert missing.status_code == 404
            assert missing.json()["error"]["code"] == "not_found"
        for path in ("/..%2fserver.py", "/%2e%2e/server.py", "/....//server.py"):
            assert "def create_app" not in (await client.get(path)).text


async def test_no_path_is_too_strange(world: World) -> None:
    async with world.client() as client:
        for path in ("/" + "a" * 5000, "/_app%00.js", "/%2fetc/hostname", "/_app"):
            assert (await client.get(path)).text == (await client.get("/")).text


async def test_the_app_can_be_built_anew_while_the_server_runs(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webapp, "WEB_APP_FOLDER", tmp_path)
    async with world.client() as client:
        assert (await client.get("/")).status_code == 503
        policies: set[str] = set()
        for build in ("one", "two"):
            (tmp_path / "index.html").write_text(f"<script>{build}()</script>")
            (tmp_path / f"{build}.js").write_text(build)
            page = await client.get("/")
            assert build in page.text
            policies.add(page.headers["content-security-policy"])
            assert (await client.get(f"/{build}.js")).text == build
        (tmp_path / "one.js").unlink()
        assert (await client.get("/one.js")).text == page.text
    assert len(policies) == 2


async def test_the_process_says_how_it_is(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/health")).json()["status"] == "ok"
        assert (await client.get("/ready")).json()["status"] == "ready"
