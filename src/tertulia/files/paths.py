"""The one place where the path of a file is made regular and checked.

Paths are display data and keys, never names on the server's disk; yet people
download them, and tools lay them out as folders, so that nothing may pass here
that leads anywhere else there. A path is relative, has forward slashes
(backslashes are read as such: Windows and its archives write them), is in
Unicode's NFC form, and knows capitals from small letters.
"""

import re
import unicodedata

from tertulia.files.errors import PathInvalid

PATH_MAX_BYTES = 1024
PATH_SEGMENT_MAX_BYTES = 255
DRIVE_PATTERN = re.compile(r".:")
DEVICE_NAME_PATTERN = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE
)
#: What turns the direction of writing, so that `exe.txt` is read where `txt.exe` stands.
BIDI_CONTROL_CHARS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
#: Control characters, halves of characters, and what breaks a line.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


def normalise(path: str) -> str:
    """Return the regular form of a path, or raise `PathInvalid` with what is wrong."""
    regular = unicodedata.normalize("NFC", path.replace("\\", "/"))
    check_characters(regular)
    if regular.startswith("/") or DRIVE_PATTERN.match(regular):
        raise PathInvalid("it must be relative, without a drive or a slash before it")
    for segment in regular.split("/"):
        check_segment(segment)
    if len(regular.encode()) > PATH_MAX_BYTES:
        raise PathInvalid(f"it is longer than {PATH_MAX_BYTES} bytes")
    return regular


def normalise_folder(prefix: str) -> str:
    """Return a folder as the prefix of what lies in it: empty for the whole project, else `docs/`."""
    bare = prefix.removesuffix("/")
    return f"{normalise(bare)}/" if bare else ""


def join_path(prefix: str, name: str) -> str:
    """Return the path of what is called `name` in a folder."""
    return normalise(normalise_folder(prefix) + name.replace("\\", "/"))


def ancestors(path: str) -> list[str]:
    """Return every folder that a path lies in, without slashes at their ends."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def check_characters(path: str) -> None:
    """Raise where a path holds what cannot be seen, or what shows it as another."""
    if path.isprintable():  # which none of these is, and almost every path
        return
    if any(
        character in BIDI_CONTROL_CHARS or unicodedata.category(character) in INVISIBLE_CATEGORIES
        for character in path
    ):
        raise PathInvalid("it holds control characters or marks that turn the direction of writing")


def check_segment(segment: str) -> None:
    """Raise where a name in a path means something else to some system."""
    if not segment.strip():
        raise PathInvalid("a name in it is empty")
    if not segment.strip("."):
        raise PathInvalid("it must not hold '.' or '..'")
    if segment.endswith((".", " ")) or segment != segment.rstrip():
        raise PathInvalid("a name in it ends in a dot or a space")
    if DEVICE_NAME_PATTERN.fullmatch(segment):
        raise PathInvalid(f"'{segment}' is the name of a device on Windows")
    if len(segment.encode()) > PATH_SEGMENT_MAX_BYTES:
        raise PathInvalid(f"a name in it is longer than {PATH_SEGMENT_MAX_BYTES} bytes")
