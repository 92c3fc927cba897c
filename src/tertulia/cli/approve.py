"""`tertulia approve`: yes or no to a tool that waits."""

import click

from tertulia.cli.connect import connected, server_options


@click.command()
@server_options
@click.argument("reply")
@click.argument("call")
@click.option("--no", "deny", is_flag=True, help="Deny it instead.")
@click.option("--reason", default="", help="Why not; the model reads it.")
@click.option("--always-here", is_flag=True, help="Do not ask about this tool again in its conversation.")
def approve(
    *, url: str | None, token: str | None, reply: str, call: str, deny: bool, reason: str, always_here: bool
) -> None:
    """Let CALL of REPLY run, as `tertulia ask` names them; the reply then goes on."""
    from tertulia.cli.calls import Call, call_of, exactly  # noqa: PLC0415 - only once the options are right
    from tertulia.cli.output import note  # noqa: PLC0415 - see above
    from tertulia.conversations.domain import ToolStatus  # noqa: PLC0415 - see above

    remember = "conversation" if always_here and not deny else "once"
    body = {"approve": not deny, "reason": reason, "remember": remember}
    with connected(url, token) as server:
        meant = Call(reply, call, name="", arguments="", status=ToolStatus.WAITING)
        decided = call_of(reply, server.post(meant.place, body))
    note(f"{'Denied' if deny else 'Allowed'}:\n{exactly(decided)}")
