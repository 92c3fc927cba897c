"""How a command fails, with what to do about it.

Unavailable ── ServerUnreachable
NotSignedIn ── NoToken, TokenMalformed
Conflict    ── InTheWay, ServerRunning
Invalid     ── FileUnreadable, NothingToSend, ProjectUnknown, ProjectAmbiguous,
                NoDefaultProject, NoConversation, SharedDatabaseNeeded, AddressMalformed
Upstream    ── ServerRefused
"""

from pathlib import Path

from tertulia.core.errors import Conflict, Invalid, NotSignedIn, Unavailable, Upstream


class ServerUnreachable(Unavailable):
    """Nobody answers where the server should be."""

    code = "server_unreachable"

    def __init__(self, url: str) -> None:
        super().__init__(
            f"No server answers at {url}. Start one with `tertulia serve`, or name another with --url."
        )


class AddressMalformed(Invalid):
    """What names the server is no address at all."""

    code = "address_malformed"

    def __init__(self, url: str) -> None:
        super().__init__(f"{url!a} is no address of a server. Write one such as http://127.0.0.1:8400.")


class TokenMalformed(NotSignedIn):
    """A token holds characters that no token has."""

    code = "token_malformed"

    def __init__(self) -> None:
        super().__init__("This is no API token: it holds line ends or letters that no token has.")


class ServerRefused(Upstream):
    """The server answered with an error; its sentence is ours."""

    code = "server_refused"

    def __init__(self, message: str, *, status: int, reason: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class SharedDatabaseNeeded(Invalid):
    """Several processes are wanted on a database that serves one."""

    code = "shared_database_needed"

    def __init__(self, instead: str) -> None:
        super().__init__(
            f"SQLite serves one process: {instead}, or set DATABASE_URL to a PostgreSQL server "
            "(`tertulia move` takes your data there)."
        )


class NoToken(NotSignedIn):
    """The server wants to know who asks, and no token was given."""

    code = "no_token"


class InTheWay(Conflict):
    """A file is where another should go."""

    code = "in_the_way"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already. Choose another place, or replace it with --force.")


class ServerRunning(Conflict):
    """A server uses the data that a command is about to replace."""

    code = "server_running"

    def __init__(self, data: Path | str) -> None:
        super().__init__(f"A server uses {data}. Stop it first.")


class FileUnreadable(Invalid):
    """A file is not what the command needs."""

    code = "file_unreadable"


class NothingToSend(Invalid):
    """There is no file among what was named."""

    code = "nothing_to_send"

    def __init__(self) -> None:
        super().__init__("There is no file to send there; --all also takes hidden ones.")


class ProjectUnknown(Invalid):
    """No project has that name."""

    code = "project_unknown"

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(f"There is no project {name!r}. There are: {', '.join(known) or 'none yet'}.")


class ProjectAmbiguous(Invalid):
    """Several projects have that name."""

    code = "project_ambiguous"

    def __init__(self, name: str, ids: list[str]) -> None:
        super().__init__(f"Several projects are called {name!r}. Name one by its id: {', '.join(ids)}.")


class NoDefaultProject(Invalid):
    """No project was named, and the one that is meant then is not there yet."""

    code = "no_default_project"

    def __init__(self) -> None:
        super().__init__(
            "There is no default project yet: the first conversation makes it. Name one with --project."
        )


class NoConversation(Invalid):
    """No conversation was named, and there is none that could be meant."""

    code = "no_conversation"

    def __init__(self) -> None:
        super().__init__("There is no conversation yet: begin one with `tertulia ask` or `tertulia chat`.")
