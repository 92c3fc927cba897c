"""What the status says with which a command ends; `docs/guide/cli.md` has the same list."""

#: It was refused or failed, or said no where that is the answer.
EXIT_FAILED = 1
#: A tool waits for a yes, and there is nobody here to ask.
EXIT_APPROVAL_NEEDED = 3
#: What a shell says of a program that SIGINT or SIGPIPE has ended.
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
