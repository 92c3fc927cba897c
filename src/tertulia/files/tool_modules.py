"""The folder of a project with Python that models wrote for one another, and what it is imported as."""

PROJECT_TOOLS_FOLDER = "tools/"
#: Where those of one conversation lie among its attachments, until a member approves them for the project.
DRAFT_TOOLS_FOLDER = "attachments/tools/"


def tool_name(path: str, conversation_id: str | None) -> str:
    """Return what a tool of the project, or a draft of a conversation, is called; nothing for other files."""
    folder = DRAFT_TOOLS_FOLDER if conversation_id else PROJECT_TOOLS_FOLDER
    return path.removeprefix(folder) if path.startswith(folder) else ""


def module_name(path: str) -> str:
    """Return what a file is imported as; nothing for what is no module in the folder."""
    if not path.startswith(PROJECT_TOOLS_FOLDER) or not path.endswith(".py"):
        return ""
    dotted = path[len(PROJECT_TOOLS_FOLDER) : -len(".py")].replace("/", ".").removesuffix(".__init__")
    return dotted if all(part.isidentifier() for part in dotted.split(".")) else ""
