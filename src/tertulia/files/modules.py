"""The folder of a project with Python that models wrote for one another, and what it is imported as."""

TOOLS = "tools/"
#: Where those of one conversation lie among its attachments, until a member approves them for the project.
DRAFT_TOOLS = "attachments/tools/"


def tool_name(path: str) -> str:
    """Return what a tool is called in its folder; nothing for what is no tool."""
    for folder in (TOOLS, DRAFT_TOOLS):
        if path.startswith(folder):
            return path.removeprefix(folder)
    return ""


def module_of(path: str) -> str:
    """Return what a file is imported as; nothing for what is no module in the folder."""
    if not path.startswith(TOOLS) or not path.endswith(".py"):
        return ""
    dotted = path[len(TOOLS) : -len(".py")].replace("/", ".").removesuffix(".__init__")
    return dotted if all(part.isidentifier() for part in dotted.split(".")) else ""
