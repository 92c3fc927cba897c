"""What one can do in a chat besides talking: every command that begins with a slash.

Each takes the talk and what was typed after it. It returns the turns to listen
to, which is nothing for most, and says things through `ChatSession`'s errors or `say`.
"""

from collections.abc import Callable
from pathlib import Path

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.chat_session import ChatSession, NotNow
from tertulia.cli.context_text import receipt_line
from tertulia.cli.errors import ServerRefused
from tertulia.cli.output import strip_control_characters
from tertulia.conversations.domain import Policy
from tertulia.core.json_object import JsonObject

TurnList = list[JsonObject]
PrintLine = Callable[[str], None]
ChatCommand = Callable[[ChatSession, str, PrintLine], TurnList]


def show_models(session: ChatSession, _: str, say: PrintLine) -> TurnList:
    """List the models; * marks those at the table."""
    table = session.table_models()
    for model in session.server.get("/api/models")["models"]:
        say(f"{'*' if model['id'] in table else ' '} {model['id']}  {model['title']}")
    return []


def add_model(session: ChatSession, name: str, say: PrintLine) -> TurnList:
    """NAME: one more model at the table; the same one may sit there twice."""
    model = require_text(name, "/add MODEL")
    # A server may know more models of a connection than it lists, and then says so when it is asked.
    if "/" not in model and model not in [
        known["id"] for known in session.server.get("/api/models")["models"]
    ]:
        raise NotNow(f"No model is called {model} here: /models lists them.")
    session.models = [*session.table_models(), model]
    say(f"At the table: {', '.join(session.models)}")
    return []


def drop_model(session: ChatSession, name: str, say: PrintLine) -> TurnList:
    """NAME: a model leaves the table."""
    table = session.table_models()
    if require_text(name, "/drop MODEL") not in table:
        raise NotNow(f"{name} is not at the table: {', '.join(table) or 'the server chooses who answers'}.")
    if len(table) == 1:
        raise NotNow("Somebody has to answer: add another model first.")
    table.remove(name)
    session.models = table
    say(f"At the table: {', '.join(table)}")
    return []


def set_policy(session: ChatSession, text: str, say: PrintLine) -> TurnList:
    """everyone | own | chosen NAME: what models see of earlier replies."""
    policy, _, chosen = text.partition(" ")
    if policy not in list(Policy):
        raise NotNow(f"Say /policy everyone, own or chosen NAME. It is {session.policy} now.")
    if policy == Policy.CHOSEN:
        session.chosen = session.lane(require_text(chosen.strip(), "/policy chosen NAME")).name
    session.policy = policy
    say(f"Models see: {text}")
    return []


def start_new(session: ChatSession, _: str, say: PrintLine) -> TurnList:
    """A new conversation, with the same models."""
    session.start_anew()
    say("The next question begins a new conversation.")
    return []


def open_other(session: ChatSession, which: str, say: PrintLine) -> TurnList:
    """[NUMBER | ID]: go to another conversation; without one, list the latest."""
    if not which or which.isdigit():
        latest = session.server.get("/api/conversations", limit=20)["conversations"]
        if not which:
            for number, conversation in enumerate(latest, 1):
                say(f"{number:>3}  {conversation['title'] or 'Untitled'}  {conversation['id']}")
            return []
        if not 1 <= int(which) <= len(latest):
            raise NotNow(f"There are {len(latest)} in the list: /open shows it.")
        which = latest[int(which) - 1]["id"]
    opened = session.open(which)
    say(f"In: {opened['conversation']['title'] or 'Untitled'}")
    for round_ in opened["rounds"]:
        say(f"\n> {round_['question']['content']}")
        for reply in {reply["lane"]: reply for reply in round_["replies"]}.values():
            say(f"\n[{reply['lane']}] {reply['content']}")
    running = opened["rounds"] and any(lane for lane in session.replies() if not lane.is_final)
    return [{**opened, "round": opened["rounds"][-1]}] if running else []  # still being written elsewhere


def set_title(session: ChatSession, title: str, say: PrintLine) -> TurnList:
    """TITLE: call the conversation something."""
    session.server.put(
        f"/api/conversations/{session.require_conversation()}/title",
        {"title": require_text(title, "/title TITLE")},
    )
    say(f"It is called {title} now.")
    return []


def stop_replies(session: ChatSession, _: str, say: PrintLine) -> TurnList:
    """Stop the replies of the last round; Ctrl-C does it while they come."""
    session.replies()
    if session.last_round is not None:
        session.server.post(f"/api/rounds/{session.last_round.round_id}/stop")
    say("Stopped.")
    return []


def regenerate(session: ChatSession, name: str, _: PrintLine) -> TurnList:
    """[NAME]: have the last replies, or one of them, written once more."""
    lanes = [session.lane(name)] if name else [lane for lane in session.replies() if lane.kind == "answer"]
    return [session.server.post(f"/api/replies/{lane.reply_id}/regenerate") for lane in lanes]


def continue_replies(session: ChatSession, name: str, _: PrintLine) -> TurnList:
    """[NAME]: have replies that were cut short go on where they stopped."""
    lanes = [session.lane(name)] if name else [lane for lane in session.replies() if lane.status != "done"]
    if not lanes:
        raise NotNow("Every reply is whole.")
    return [session.server.post(f"/api/replies/{lane.reply_id}/continue") for lane in lanes]


def merge(session: ChatSession, model: str, _: PrintLine) -> TurnList:
    """MODEL: have one model write the joint answer of all replies."""
    return request_extra_reply(session, require_text(model, "/merge MODEL"), "merge")


def judge(session: ChatSession, model: str, _: PrintLine) -> TurnList:
    """MODEL: have one model rank the replies."""
    return request_extra_reply(session, require_text(model, "/judge MODEL"), "judge")


def request_extra_reply(session: ChatSession, model: str, kind: str) -> TurnList:
    """Have one more model read all replies of the last round."""
    session.replies()
    last = session.last_round
    return [session.server.post(f"/api/rounds/{last.round_id}/{kind}", {"model": model})] if last else []


def show_context(session: ChatSession, name: str, say: PrintLine) -> TurnList:
    """[NAME]: what the models of the last round, or one of them, were shown, in short."""
    for lane in [session.lane(name)] if name else session.replies():
        try:
            shown = receipt_line(session.server.get(f"/api/replies/{lane.reply_id}/receipt"))
        except ServerRefused as error:  # a model that could not be asked was shown nothing
            shown = error.message
        say(f"[{lane.name}] {shown}")
    return []


def export(session: ChatSession, name: str, say: PrintLine) -> TurnList:
    """FILE: save the conversation; as Markdown when the name ends in .md, else as JSON."""
    path = Path(require_text(name, "/export FILE")).expanduser()
    if path.exists():
        raise NotNow(f"{path} is there already: choose another name.")
    form = "markdown" if path.suffix.lower() in (".md", ".markdown") else "json"
    try:
        with write_atomically(path) as into:
            session.server.export_conversation(session.require_conversation(), into, export_format=form)
    except OSError as error:
        raise NotNow(f"{path} cannot be written: {error.strerror}.") from error
    say(f"Saved to {path}")
    return []


def show_help(_: ChatSession, __: str, say: PrintLine) -> TurnList:
    """List these commands."""
    for name, command in CHAT_COMMANDS.items():
        say(f"/{name:<9} {command.__doc__ or ''}")
    say("/quit      Leave; Ctrl-D does it too. Ctrl-C stops the replies. Alt-Enter begins a new line.")
    return []


def require_text(text: str, usage: str) -> str:
    """Return what was typed, or say what was missing."""
    if not text:
        raise NotNow(f"Say {usage}.")
    return text


CHAT_COMMANDS: dict[str, ChatCommand] = {
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


def run_command(session: ChatSession, line: str, say: PrintLine) -> TurnList:
    """Do what a line that begins with a slash says, and return the turn that it began, if it did."""
    name, _, rest = line[1:].partition(" ")
    command = CHAT_COMMANDS.get(name)
    if command is None:
        raise NotNow(f"There is no command /{strip_control_characters(name)}: /help lists them.")
    turns = command(session, rest.strip(), say)
    return [session.remember_turn(join_turns(turns))] if turns else []


def join_turns(turns: TurnList) -> JsonObject:
    """Return turns that each added a reply to the same round as one turn to listen to."""
    first, last = turns[0], turns[-1]
    # The newest reply is the last of its round, and in its own turn's view it has not begun.
    added = [turn["round"]["replies"][-1] for turn in turns]
    replies = [*first["round"]["replies"][:-1], *added]
    return {**last, "round": {**last["round"], "replies": replies}, "last_event_id": first["last_event_id"]}
