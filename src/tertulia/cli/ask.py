"""`tertulia ask`: one question, and the replies on standard output."""

import json
import sys
from dataclasses import asdict, replace
from typing import Any

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.errors import NothingAsked
from tertulia.cli.output import harmless, note
from tertulia.cli.project_choice import check_one_place, new_conversation_project, place_in

INTERRUPTED = 130
#: A tool waits for a yes, and there is nobody here to ask.
WAITS = 3


@click.command()
@server_options
@click.argument("question", nargs=-1)
@click.option("-m", "--model", "models", multiple=True, help="Whom to ask; repeat it to ask several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@new_conversation_project
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
    project: str | None,
    policy: str | None,
    as_json: bool,
    no_stream: bool,
) -> None:
    """Ask QUESTION and print the replies; what is piped in is added to it.

    Exits with 1 when no model could answer, and with 3 when a tool waits for your yes
    and there is no terminal to ask you at. Ctrl-C stops the replies on the server.
    """
    body: dict[str, Any] = {"message": whole_question(" ".join(question))}
    given = {"models": list(models), "conversation_id": conversation, "policy": policy}
    body |= {name: value for name, value in given.items() if value}
    check_one_place(conversation, project)
    ctx.exit(run(body, url=url, token=token, project=project, as_json=as_json, stream=not no_stream))


def whole_question(question: str) -> str:
    """Return the question with what was piped in after it."""
    piped = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    whole = "\n\n".join(part for part in (question.strip(), piped) if part)
    if not whole:
        raise NothingAsked
    return whole


def run(
    body: dict[str, Any],
    *,
    url: str | None,
    token: str | None,
    project: str | None,
    as_json: bool,
    stream: bool,
) -> int:
    """Ask, print what comes, and return the exit code."""
    from tertulia.cli.deciding import Decisions, how_to_answer  # noqa: PLC0415 - only once the options are right
    from tertulia.cli.hearing import hearing_of  # noqa: PLC0415 - see above
    from tertulia.cli.listening import listen, stop  # noqa: PLC0415 - see above
    from tertulia.cli.plain import PlainWriter, outcomes, problems  # noqa: PLC0415 - see above

    terminal = sys.stdout.isatty()
    writer = PlainWriter(lambda text: write(text, terminal=terminal), stream=stream and terminal)
    with connected(url, token) as server:
        turn = server.post("/api/turn", body | place_in(server, project))
        hearing = hearing_of(turn["round"])
        decisions = Decisions(server, typed, note)
        stops = 0
        while not hearing.finished and stops < 2:
            try:
                for hearing in listen(server, turn):
                    if not as_json:
                        writer.show(hearing)
                    if decisions.needed(hearing):
                        break
                if (calls := decisions.needed(hearing)) and not sys.stdin.isatty():
                    break
                writer.end_line()
                decisions.make(calls)
            except EOFError:
                break
            except KeyboardInterrupt:
                stops += 1
                stop(server, hearing)
    if as_json:
        click.echo(json.dumps(result(turn, hearing.lanes), indent=2, ensure_ascii=False))
    else:
        writer.show(replace(hearing, closed=True))
    waiting = [] if stops else decisions.needed(hearing)
    for said in (*outcomes(hearing), *problems(hearing), *map(how_to_answer, waiting)):
        note(said)
    return INTERRUPTED if stops else WAITS if waiting else int(hearing.failed)


def typed() -> str:
    """Return a line that a person types; `EOFError` after Ctrl-D."""
    if line := sys.stdin.readline():
        return line
    raise EOFError


def write(text: str, *, terminal: bool) -> None:
    """Write a piece of a reply at once; a terminal is spared what could steer it."""
    click.echo(harmless(text) if terminal else text, nl=False)
    sys.stdout.flush()


def result(turn: dict[str, Any], lanes: tuple[Any, ...]) -> dict[str, Any]:
    """Return the outcome for programs."""
    shown = ("reply_id", "model", "kind", "status", "text", "error", "cost", "cost_is_estimate")
    calls = ("id", "name", "arguments", "status")
    replies = [
        {"lane": lane.name}
        | {name: asdict(lane)[name] for name in shown}
        | {"calls": [{name: asdict(call)[name] for name in calls} for call in lane.calls]}
        for lane in lanes
    ]
    return {
        "conversation_id": turn["conversation"]["id"],
        "round_id": turn["round"]["id"],
        "replies": replies,
    }
