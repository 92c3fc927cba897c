"""The folder of a project with Python that models wrote for one another, and what it is imported as."""

TOOLS = "tools/"


def module_of(path: str) -> str:
    """Return what a file is imported as; nothing for what is no module in the folder."""
    if not path.startswith(TOOLS) or not path.endswith(".py"):
        return ""
    dotted = path[len(TOOLS) : -len(".py")].replace("/", ".").removesuffix(".__init__")
    return dotted if all(part.isidentifier() for part in dotted.split(".")) else ""
