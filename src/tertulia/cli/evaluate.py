"""`tertulia eval`: does search do better or worse with other settings?"""

import json
from typing import TYPE_CHECKING

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

NO_MARKS_HINT = """There is nothing to measure by yet. Ask something that your files or earlier
conversations answer, open a citation below the reply, and mark it as good or
bad: each mark becomes a question of this suite. Programs mark with
PUT /api/replies/{id}/citations/{number} and {"good": true}."""
FIGURE_LABELS = {
    "ndcg": "order of good passages (nDCG@10)",
    "mrr": "first good passage (MRR)",
    "recall": "good passages found",
    "bad_shown": "bad passages found again",
}


@click.group("eval")
def eval_() -> None:
    """Measure how well search does."""


@eval_.command()
@server_options
@click.option("--project", default=None, help="Only marks of this project, by name or id.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A flag to try; repeat it.")
@click.option("--apply", "apply_", is_flag=True, help="Keep what was tried, for the whole workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def retrieval(
    ctx: click.Context,
    *,
    url: str | None,
    token: str | None,
    project: str | None,
    settings: tuple[str, ...],
    apply_: bool,
    as_json: bool,
) -> None:
    """Ask every question again whose citations you marked, with the flags that hold and with others.

    Exits with 1 when what was tried does worse and is not kept.
    """
    tried = dict(parse_flag(setting) for setting in settings)
    if apply_ and not tried:
        raise click.UsageError("Say with --set what to apply.")
    with open_client(url, token) as server:
        found = run_evaluation(server, project, tried)
        if as_json:
            click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        else:
            print_evaluation(found)
        applied = apply_ and bool(found["questions"])
        if applied:
            server.patch("/api/retrieval/preferences", tried)
            print_to_stderr(f"Kept for the workspace: {', '.join(settings)}.")
    if not found["questions"]:
        print_to_stderr(NO_MARKS_HINT + ("\nNothing was changed." if apply_ else ""))
    ctx.exit(0 if applied or not (is_worse(found) or apply_) else 1)


def run_evaluation(server: "ApiClient", project: str | None, tried: JsonObject) -> JsonObject:
    """Run the suite on the server."""
    from tertulia.cli.project_choice import find_project

    body: JsonObject = {"flags": tried}
    if project is not None:
        body["project_id"] = find_project(server, project)["id"]
    found: JsonObject = server.post("/api/retrieval/evaluation", body)
    return found


def parse_flag(text: str) -> tuple[str, float]:
    """Return the name and the value of a flag, or say which there are."""
    from dataclasses import fields

    from tertulia.retrieval.flags import Flags

    name, equals, value = text.partition("=")
    known = {field.name: field.type for field in fields(Flags)}
    if name not in known or not equals:
        raise click.BadParameter(f"{text!r} is no NAME=VALUE; the names are {', '.join(known)}.")
    try:
        return name, click.BOOL(value) if known[name] is bool else float(value)
    except (ValueError, click.BadParameter) as error:
        kind = "on or off" if known[name] is bool else "a number"
        raise click.BadParameter(f"{name} must be {kind}, not {value!r}.") from error


def print_evaluation(found: JsonObject) -> None:
    """Print the figures before and after, and the questions whose answer moved."""
    if not found["questions"]:
        return
    before, after = found["before"], found["after"]
    print_to_stderr(f"{found['questions']} questions")
    print_table(
        ("", "Now", "Tried", "Change"),
        (
            (said, f"{before[name]:.3f}", f"{after[name]:.3f}", f"{after[name] - before[name]:+.3f}")
            for name, said in FIGURE_LABELS.items()
        ),
    )
    if found["changed"]:
        rows = (
            (question["query"][:80], rank_text(question["before"]), rank_text(question["after"]))
            for question in found["changed"]
        )
        print_table(("Question whose good passage moved", "Now", "Tried"), rows)


def rank_text(number: int | None) -> str:
    """Return the place of a passage among the hits."""
    return "not found" if number is None else str(number)


def is_worse(found: JsonObject) -> bool:
    """Tell whether what was tried loses good passages, or brings bad ones back."""
    before, after = found["before"], found["after"]
    return bool(after["ndcg"] < before["ndcg"] or after["bad_shown"] > before["bad_shown"])
