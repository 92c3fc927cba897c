"""`tertulia models`: the catalogue, and installing what runs on the server itself."""

from typing import Any

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.output import meter, note, table


@click.group(invoke_without_command=True)
@server_options
@click.option("--refresh", is_flag=True, help="Ask every provider for its list first.")
@click.pass_context
def models(ctx: click.Context, url: str | None, token: str | None, refresh: bool) -> None:
    """List the models that can be asked."""
    if ctx.invoked_subcommand is not None:
        return
    with connected(url, token) as server:
        if refresh:
            server.post("/api/models/metadata/refresh")
        listing = server.get("/api/models")
    table(("Model", "From", "Tier", "Window", "$ in", "$ out", "Can"), map(row_of, listing["models"]))
    for problem in listing["problems"]:
        note(f"{problem['connection']}: {problem['message']}")


@models.command()
@click.argument("what", type=click.Choice(["builtin", "embedder"]))
def install(what: str) -> None:
    """Fetch the small built-in model, or the embedder that finds texts by what they mean."""
    from tertulia.models.builtin import weights as builtin  # noqa: PLC0415 - listing does not need it
    from tertulia.models.embedding import weights as embedder  # noqa: PLC0415 - see above
    from tertulia.settings import Settings  # noqa: PLC0415 - see above

    put = builtin.install if what == "builtin" else embedder.install
    with meter(size=True) as show:
        path = put(Settings.from_env(), lambda now: show(now.step, now.done, now.total))
    note(f"The {what} model is installed." if what == "builtin" else "The embedder is installed.")
    click.echo(str(path))


def row_of(model: dict[str, Any]) -> tuple[str, ...]:
    """Return a model as a row; prices are dollars for a million tokens."""
    prices = model["prices"]
    paid = ("", "") if prices is None else tuple(f"{prices[way]:g}" for way in ("input", "output"))
    window = f"{model['window']:,}"
    server = model["connection"] + (" (not reached)" if model["stale"] else "")
    return model["id"], server, model["tier"], window, *paid, ", ".join(model["abilities"])
