"""`tertulia ask`: one question, and the replies on standard output."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.errors import NothingAsked
from tertulia.cli.output import harmless, note

INTERRUPTED = 130


@click.command()
@server_options
@click.argument("question", nargs=-1)
@click.option("-m", "--model", "models", multiple=True, help="Whom to ask; repeat it to ask several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@click.option("--policy", type=click.Choice(["everyone", "own"]), help="What each model sees of the others.")
@click.option("--json", "as_json", is_flag=True, help="Print the replies as JSON.")
@click.option("--no-stream", is_flag=True, help="Print each reply only when it is whole.")
@click.pass_context
def ask(
    ctx: click.Context,
    *,
    url: str | None,
    token: str | None,
    question: tuple[str, ...],
    models: tuple[str, ...],
    conversation: str | None,
    policy: str | None,
    as_json: bool,
    no_stream: bool,
) -> None:
    """Ask QUESTION and print the replies; what is piped in is added to it.

    Exits with 1 when no model could answer. Ctrl-C stops the replies on the server.
    """
    body: dict[str, Any] = {"message": whole_question(" ".join(question))}
    given = {"models": list(models), "conversation_id": conversation, "policy": policy}
    body |= {name: value for name, value in given.items() if value}
    ctx.exit(run(body, url=url, token=token, as_json=as_json, stream=not no_stream))


def whole_question(question: str) -> str:
    """Return the question with what was piped in after it."""
    piped = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    whole = "\n\n".join(part for part in (question.strip(), piped) if part)
    if not whole:
        raise NothingAsked
    return whole


def run(body: dict[str, Any], *, url: str | None, token: str | None, as_json: bool, stream: bool) -> int:
    """Ask, print what comes, and return the exit code."""
    from tertulia.cli.hearing import hearing_of  # noqa: PLC0415 - only once the options are right
    from tertulia.cli.listening import listen, stop  # noqa: PLC0415 - see above
    from tertulia.cli.plain import PlainWriter, problems  # noqa: PLC0415 - see above

    terminal = sys.stdout.isatty()
    writer = PlainWriter(lambda text: write(text, terminal=terminal), stream=stream and terminal)
    with connected(url, token) as server:
        turn = server.post("/api/turn", body)
        hearing = hearing_of(turn["round"])
        stops = 0
        while not hearing.finished and stops < 2:
            try:
                for hearing in listen(server, turn):
                    if not as_json:
                        writer.show(hearing)
            except KeyboardInterrupt:
                stops += 1
                stop(server, hearing)
    if as_json:
        click.echo(json.dumps(result(turn, hearing.lanes), indent=2, ensure_ascii=False))
    for problem in problems(hearing):
        note(problem)
    return INTERRUPTED if stops else int(hearing.failed)


def write(text: str, *, terminal: bool) -> None:
    """Write a piece of a reply at once; a terminal is spared what could steer it."""
    click.echo(harmless(text) if terminal else text, nl=False)
    sys.stdout.flush()


def result(turn: dict[str, Any], lanes: tuple[Any, ...]) -> dict[str, Any]:
    """Return the outcome for programs."""
    shown = ("reply_id", "model", "kind", "status", "text", "error", "cost")
    replies = [{"lane": lane.name, **{name: asdict(lane)[name] for name in shown}} for lane in lanes]
    return {
        "conversation_id": turn["conversation"]["id"],
        "round_id": turn["round"]["id"],
        "replies": replies,
    }
