"""What one can do in a chat besides talking: every command that begins with a slash.

Each takes the talk and what was typed after it. It returns the turns to listen
to, which is nothing for most, and says things through `Talk`'s errors or `say`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tertulia.cli.context_words import in_short
from tertulia.cli.errors import ServerRefused
from tertulia.cli.output import harmless
from tertulia.cli.talk import NotNow, Talk
from tertulia.cli.whole_file import write_whole
from tertulia.conversations.domain import Policy

Turns = list[dict[str, Any]]
Say = Callable[[str], None]
Command = Callable[[Talk, str, Say], Turns]


def show_models(talk: Talk, _: str, say: Say) -> Turns:
    """List the models; * marks those at the table."""
    table = talk.table()
    for model in talk.server.get("/api/models")["models"]:
        say(f"{'*' if model['id'] in table else ' '} {model['id']}  {model['title']}")
    return []


def add_model(talk: Talk, name: str, say: Say) -> Turns:
    """NAME: one more model at the table; the same one may sit there twice."""
    talk.models = [*talk.table(), needed(name, "/add MODEL")]
    say(f"At the table: {', '.join(talk.models)}")
    return []


def drop_model(talk: Talk, name: str, say: Say) -> Turns:
    """NAME: a model leaves the table."""
    table = talk.table()
    if needed(name, "/drop MODEL") not in table:
        raise NotNow(f"{name} is not at the table: {', '.join(table) or 'the server chooses who answers'}.")
    if len(table) == 1:
        raise NotNow("Somebody has to answer: add another model first.")
    table.remove(name)
    talk.models = table
    say(f"At the table: {', '.join(table)}")
    return []


def set_policy(talk: Talk, text: str, say: Say) -> Turns:
    """everyone | own | chosen NAME: what models see of earlier replies."""
    policy, _, chosen = text.partition(" ")
    if policy not in list(Policy):
        raise NotNow(f"Say /policy everyone, own or chosen NAME. It is {talk.policy} now.")
    if policy == Policy.CHOSEN:
        talk.chosen = talk.lane(needed(chosen.strip(), "/policy chosen NAME")).name
    talk.policy = policy
    say(f"Models see: {text}")
    return []


def start_new(talk: Talk, _: str, say: Say) -> Turns:
    """A new conversation, with the same models."""
    talk.leave()
    say("The next question begins a new conversation.")
    return []


def open_other(talk: Talk, which: str, say: Say) -> Turns:
    """[NUMBER | ID]: go to another conversation; without one, list the latest."""
    if not which or which.isdigit():
        latest = talk.server.get("/api/conversations", limit=20)["conversations"]
        if not which:
            for number, one in enumerate(latest, 1):
                say(f"{number:>3}  {one['title'] or 'Untitled'}  {one['id']}")
            return []
        if not 1 <= int(which) <= len(latest):
            raise NotNow(f"There are {len(latest)} in the list: /open shows it.")
        which = latest[int(which) - 1]["id"]
    opened = talk.open(which)
    say(f"In: {opened['conversation']['title'] or 'Untitled'}")
    for round_ in opened["rounds"]:
        say(f"\n> {round_['question']['content']}")
        for reply in {reply["lane"]: reply for reply in round_["replies"]}.values():
            say(f"\n[{reply['lane']}] {reply['content']}")
    running = opened["rounds"] and any(lane for lane in talk.replies() if not lane.is_final)
    return [{**opened, "round": opened["rounds"][-1]}] if running else []  # still being written elsewhere


def set_title(talk: Talk, title: str, say: Say) -> Turns:
    """TITLE: call the conversation something."""
    talk.server.put(f"/api/conversations/{talk.here()}/title", {"title": needed(title, "/title TITLE")})
    say(f"It is called {title} now.")
    return []


def stop_replies(talk: Talk, _: str, say: Say) -> Turns:
    """Stop the replies of the last round; Ctrl-C does it while they come."""
    talk.replies()
    if talk.last is not None:
        talk.server.post(f"/api/rounds/{talk.last.round_id}/stop")
    say("Stopped.")
    return []


def regenerate(talk: Talk, name: str, _: Say) -> Turns:
    """[NAME]: have the last replies, or one of them, written once more."""
    lanes = [talk.lane(name)] if name else [lane for lane in talk.replies() if lane.kind == "answer"]
    return [talk.server.post(f"/api/replies/{lane.reply_id}/regenerate") for lane in lanes]


def continue_replies(talk: Talk, name: str, _: Say) -> Turns:
    """[NAME]: have replies that were cut short go on where they stopped."""
    lanes = [talk.lane(name)] if name else [lane for lane in talk.replies() if lane.status != "done"]
    if not lanes:
        raise NotNow("Every reply is whole.")
    return [talk.server.post(f"/api/replies/{lane.reply_id}/continue") for lane in lanes]


def merge(talk: Talk, model: str, _: Say) -> Turns:
    """MODEL: have one model write the joint answer of all replies."""
    return one_more(talk, needed(model, "/merge MODEL"), "merge")


def judge(talk: Talk, model: str, _: Say) -> Turns:
    """MODEL: have one model rank the replies."""
    return one_more(talk, needed(model, "/judge MODEL"), "judge")


def one_more(talk: Talk, model: str, way: str) -> Turns:
    """Have one more model read all replies of the last round."""
    talk.replies()
    last = talk.last
    return [talk.server.post(f"/api/rounds/{last.round_id}/{way}", {"model": model})] if last else []


def show_context(talk: Talk, name: str, say: Say) -> Turns:
    """[NAME]: what the models of the last round, or one of them, were shown, in short."""
    for lane in [talk.lane(name)] if name else talk.replies():
        try:
            shown = in_short(talk.server.get(f"/api/replies/{lane.reply_id}/receipt"))
        except ServerRefused as error:  # a model that could not be asked was shown nothing
            shown = error.message
        say(f"[{lane.name}] {shown}")
    return []


def export(talk: Talk, name: str, say: Say) -> Turns:
    """FILE: save the conversation; as Markdown when the name ends in .md, else as JSON."""
    path = Path(needed(name, "/export FILE")).expanduser()
    if path.exists():
        raise NotNow(f"{path} is there already: choose another name.")
    form = "markdown" if path.suffix.lower() in (".md", ".markdown") else "json"
    try:
        with write_whole(path) as into:
            talk.server.export(talk.here(), into, form=form)
    except OSError as error:
        raise NotNow(f"{path} cannot be written: {error.strerror}.") from error
    say(f"Saved to {path}")
    return []


def show_help(_: Talk, __: str, say: Say) -> Turns:
    """List these commands."""
    for name, command in COMMANDS.items():
        say(f"/{name:<9} {command.__doc__ or ''}")
    say("/quit      Leave; Ctrl-D does it too. Ctrl-C stops the replies. Alt-Enter begins a new line.")
    return []


def needed(text: str, usage: str) -> str:
    """Return what was typed, or say what was missing."""
    if not text:
        raise NotNow(f"Say {usage}.")
    return text


COMMANDS: dict[str, Command] = {
    "models": show_models,
    "add": add_model,
    "drop": drop_model,
    "policy": set_policy,
    "new": start_new,
    "open": open_other,
    "title": set_title,
    "stop": stop_replies,
    "regen": regenerate,
    "continue": continue_replies,
    "merge": merge,
    "judge": judge,
    "context": show_context,
    "export": export,
    "help": show_help,
}


def do(talk: Talk, line: str, say: Say) -> Turns:
    """Do what a line that begins with a slash says, and return the turn that it began, if it did."""
    name, _, rest = line[1:].partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        raise NotNow(f"There is no command /{harmless(name)}: /help lists them.")
    turns = command(talk, rest.strip(), say)
    return [talk.begun(joined(turns))] if turns else []


def joined(turns: Turns) -> dict[str, Any]:
    """Return turns that each added a reply to the same round as one turn to listen to."""
    first, last = turns[0], turns[-1]
    # The newest reply is the last of its round, and in its own turn's view it has not begun.
    added = [turn["round"]["replies"][-1] for turn in turns]
    replies = [*first["round"]["replies"][:-1], *added]
    return {**last, "round": {**last["round"], "replies": replies}, "last_event_id": first["last_event_id"]}
