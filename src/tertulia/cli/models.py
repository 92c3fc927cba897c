"""`tertulia models`: the catalogue, and installing what runs on the server itself."""

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.output import print_table, print_to_stderr, progress_bar
from tertulia.core.json_object import JsonObject


@click.group(invoke_without_command=True)
@server_options
@click.option("--refresh", is_flag=True, help="Ask every provider for its list first.")
@click.pass_context
def models(ctx: click.Context, url: str | None, token: str | None, refresh: bool) -> None:
    """List the models that can be asked."""
    if ctx.invoked_subcommand is not None:
        return
    with open_client(url, token) as server:
        if refresh:
            server.post("/api/models/metadata/refresh")
        listing = server.get("/api/models")
    print_table(
        ("Model", "From", "Tier", "Window", "$ in", "$ out", "Can"), map(model_row, listing["models"])
    )
    for problem in listing["problems"]:
        print_to_stderr(f"{problem['connection']}: {problem['message']}")


@models.command()
@click.argument("what", type=click.Choice(["builtin", "embedder"]))
def install(what: str) -> None:
    """Fetch the small built-in model, or the embedder that finds texts by what they mean."""
    from tertulia.embedding import weights as embedder
    from tertulia.models.builtin import weights as builtin
    from tertulia.settings import Settings

    put = builtin.install if what == "builtin" else embedder.install
    with progress_bar(in_bytes=True) as show:
        path = put(Settings.from_env(), lambda now: show(now.step, now.done, now.total))
    print_to_stderr(f"The {what} model is installed." if what == "builtin" else "The embedder is installed.")
    click.echo(str(path))


def model_row(model: JsonObject) -> tuple[str, ...]:
    """Return a model as a row; prices are dollars for a million tokens."""
    prices = model["prices"]
    paid = ("", "") if prices is None else tuple(f"{prices[way]:g}" for way in ("input", "output"))
    window = f"{model['window']:,}"
    server = model["connection"] + (" (not reached)" if model["stale"] else "")
    return model["id"], server, model["tier"], window, *paid, ", ".join(model["abilities"])
