"""Which commands there are, and the file that each is read from when it is called."""

from importlib import import_module

import click

#: Name: the module, the command in it, and what help says of it before it is read.
CLI_COMMANDS = {
    "serve": ("serve", "serve", "Run the server."),
    "worker": ("worker", "worker", "Do jobs and index beside servers."),
    "chat": ("chat", "chat", "Talk with several models side by side."),
    "ask": ("ask", "ask", "Ask one question and print the replies."),
    "approve": ("approve", "approve", "Say yes or no to a tool that waits."),
    "models": ("models", "models", "List the models, or install the built-in one."),
    "search": ("search", "search", "Find what was said and what stands in files."),
    "files": ("files", "files", "List, upload, fetch and delete a project's files."),
    "context": ("context", "context", "Show what models are shown; summarise, pin, leave out."),
    "memory": ("memory", "memory", "List, add, approve, correct and forget what is remembered."),
    "tasks": ("tasks", "tasks", "List, add, change, do and delete tasks, and phases."),
    "calendar": ("calendar_commands", "calendar", "Show the agenda, add events, find free times, sync."),
    "reindex": ("reindex", "reindex", "Have projects indexed anew."),
    "eval": ("evaluate", "eval_", "Measure search by the citations that you marked."),
    "export": ("conversation_export", "export", "Write conversations to files."),
    "import": ("conversation_import", "import_", "Read exported conversations back."),
    "login": ("login", "login", "Sign in to a server and remember it."),
    "user": ("users", "user", "Add, list, suspend people; on the server's machine."),
    "token": ("tokens", "token", "Make, list, revoke API tokens; on the server's machine."),
    "backup": ("backup", "backup", "Copy the data while the server runs."),
    "restore": ("restore", "restore", "Put a backup back, into SQLite or PostgreSQL."),
    "move": ("move", "move", "Copy all data to PostgreSQL, or back to SQLite."),
    "upgrade": ("upgrade", "upgrade", "Bring the database to this version, or rehearse it."),
    "reclaim": ("reclaim", "reclaim", "Remove from disk what was deleted, and say what is left."),
    "doctor": ("doctor", "doctor", "Check that everything is as it should be."),
}


class LazyCommandGroup(click.Group):
    """A group that reads a command's file only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order people meet them."""
        return list(CLI_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Read one command."""
        if cmd_name not in CLI_COMMANDS:
            return None
        module, name, _ = CLI_COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"tertulia.cli.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without reading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, _, about) in CLI_COMMANDS.items()])


def show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from tertulia import __version__

        click.echo(f"tertulia {__version__}")
        ctx.exit()


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version)
def root() -> None:
    """Tertulia: one message to several models at once, and nothing said is ever lost."""
