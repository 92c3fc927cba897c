"""The folder of a project with Python that models wrote for one another, and what it is imported as."""

TOOLS = "tools/"
#: Where those of one conversation lie among its attachments, until a member approves them for the project.
DRAFT_TOOLS = "attachments/tools/"


def tool_name(path: str, conversation_id: str | None) -> str:
    """Return what a tool of the project, or a draft of a conversation, is called; nothing for other files."""
    folder = DRAFT_TOOLS if conversation_id else TOOLS
    return path.removeprefix(folder) if path.startswith(folder) else ""


def module_of(path: str) -> str:
    """Return what a file is imported as; nothing for what is no module in the folder."""
    if not path.startswith(TOOLS) or not path.endswith(".py"):
        return ""
    dotted = path[len(TOOLS) : -len(".py")].replace("/", ".").removesuffix(".__init__")
    return dotted if all(part.isidentifier() for part in dotted.split(".")) else ""
