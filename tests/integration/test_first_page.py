"""The page that a browser meets first."""

from tests.world import World


async def test_the_first_page_comes_from_the_server_alone(world: World) -> None:
    async with world.client() as client:
        for path in ("/", "/setup", "/join", "/reset"):
            page = await client.get(path)
            assert page.status_code == 200
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert "http://" not in page.text
            assert "https://" not in page.text
        for name, kind in {"welcome.js": "javascript", "welcome.css": "css", "icon.svg": "svg"}.items():
            assert kind in (await client.get(f"/welcome/{name}")).headers["content-type"]


async def test_no_other_file_can_be_had(world: World) -> None:
    async with world.client() as client:
        for name in ("routes.py", "..%2froutes.py", "index.html", "nonesuch.js", "%2e%2e"):
            assert (await client.get(f"/welcome/{name}")).status_code == 404


async def test_the_process_says_how_it_is(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/health")).json()["status"] == "ok"
        assert (await client.get("/ready")).json()["status"] == "ready"
