"""`tertulia ask`: one question, and the replies on standard output."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.exit_codes import EXIT_INTERRUPTED, round_exit_code
from tertulia.cli.line_input import read_line
from tertulia.cli.new_conversation import (
    check_new_conversation,
    new_conversation_fields,
    project_option,
    temporary_option,
)
from tertulia.cli.output import print_to_stderr, write_piece
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient
    from tertulia.cli.round_state import LaneState


@click.command()
@server_options
@click.argument("question", nargs=-1)
@click.option("-m", "--model", "models", multiple=True, help="Whom to ask; repeat it to ask several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@project_option
@temporary_option
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
    temporary: bool,
    policy: str | None,
    as_json: bool,
    no_stream: bool,
) -> None:
    """Ask QUESTION and print the replies; what is piped in is added to it.

    Exits with 0 when at least one model answered, 1 when none did or the server could not
    be asked, 2 for wrong options or no question, 3 when a tool waits for your yes and
    there is no terminal to ask you at, 130 after Ctrl-C, which stops the replies on the
    server, and 141 when whoever reads the output has closed it.
    """
    body: JsonObject = {"message": read_question(" ".join(question))}
    given = {"models": list(models), "conversation_id": conversation, "policy": policy}
    body |= {name: value for name, value in given.items() if value}
    check_new_conversation(conversation, project, temporary=temporary)
    with open_client(url, token) as server:
        body |= new_conversation_fields(server, project, temporary=temporary)
        ctx.exit(run_ask(server, body, as_json=as_json, stream=not no_stream))


def read_question(question: str) -> str:
    """Return the question with what was piped in after it."""
    piped = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    whole = "\n\n".join(part for part in (question.strip(), piped) if part)
    if not whole:
        message = 'Say what to ask: tertulia ask "Why are there tides?", or pipe it in.'
        raise click.UsageError(message)
    return whole


def run_ask(server: "ApiClient", body: JsonObject, *, as_json: bool, stream: bool) -> int:
    """Ask, print what comes, and return the exit code."""
    from tertulia.cli.approvals import ApprovalPrompts, approval_hint
    from tertulia.cli.plain_output import PlainWriter, failure_lines, tool_outcome_lines
    from tertulia.cli.round_state import parse_round
    from tertulia.cli.round_stream import follow_round, stop_round

    writer = PlainWriter(write_piece, stream=stream and sys.stdout.isatty())
    turn = server.post("/api/turn", body)
    round_state = parse_round(turn["round"])
    approvals = ApprovalPrompts(server, read_line, print_to_stderr)
    stops = 0
    while not round_state.is_finished and stops < 2:
        try:
            for round_state in follow_round(server, turn):
                if not as_json:
                    writer.write_new(round_state)
                if approvals.calls_to_ask_about(round_state):
                    break
            if (calls := approvals.calls_to_ask_about(round_state)) and not sys.stdin.isatty():
                break
            writer.end_line()
            approvals.ask_and_decide(calls)
        except EOFError:
            break
        except KeyboardInterrupt:
            stops += 1
            stop_round(server, round_state)
    if as_json:
        click.echo(json.dumps(result_document(turn, round_state.lanes), indent=2, ensure_ascii=False))
    else:
        writer.write_whole(round_state)
    waiting = [] if stops else approvals.calls_to_ask_about(round_state)
    for said in (*tool_outcome_lines(round_state), *failure_lines(round_state), *map(approval_hint, waiting)):
        print_to_stderr(said)
    return EXIT_INTERRUPTED if stops else round_exit_code(round_state, is_waiting=bool(waiting))


def result_document(turn: JsonObject, lanes: "tuple[LaneState, ...]") -> JsonObject:
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
