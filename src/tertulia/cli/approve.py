"""`tertulia approve`: yes or no to a tool that waits."""

import click

from tertulia.cli.connect import open_client, server_options


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
    from tertulia.cli.output import print_to_stderr
    from tertulia.cli.tool_calls import ToolCallState, format_arguments, tool_call_state
    from tertulia.conversations.domain import ToolStatus
    from tertulia.conversations.views import ToolCallView
    from tertulia.core.view import view_as

    remember = "conversation" if always_here and not deny else "once"
    body = {"approve": not deny, "reason": reason, "remember": remember}
    with open_client(url, token) as server:
        meant = ToolCallState(reply, call, name="", arguments="", status=ToolStatus.WAITING)
        decided = tool_call_state(reply, view_as(ToolCallView, server.post(meant.decision_path, body)))
    print_to_stderr(f"{'Denied' if deny else 'Allowed'}:\n{format_arguments(decided)}")
