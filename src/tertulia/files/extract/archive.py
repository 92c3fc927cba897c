"""Looks into an office file before anything unpacks it, and gives readers only its markup.

Nothing inside is opened in turn: an archive in an archive stays closed.
"""

import io
import zipfile
import zlib
from pathlib import Path
from typing import IO

from tertulia.files.extract.domain import MB, Limits
from tertulia.files.extract.errors import Unreadable
from tertulia.files.extract.sink import size_of

DAMAGED = "The file is damaged or incomplete: save it again in the program that made it."
OVERLOADED = "The file is packed so as to overload its reader, so no text was read."
SECRET = "The file is protected with a password: save it without one to have its text read."  # noqa: S105 - a sentence
OLD = "The file has a format of before 2007: save it in the current one (.docx, .pptx or .xlsx)."
COMPOUND = b"\xd0\xcf\x11\xe0"
SMALL = 4 * MB
MARKUP = (".xml", ".rels")
ENCRYPTED = 0x1


def checked(source: Path, *, limits: Limits) -> list[zipfile.ZipInfo]:
    """Return the members of an office file that is what it should be, judged by its directory."""
    refuse_compound(source)
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(DAMAGED) from error
    if len(members) > limits.members or any(is_bomb(member, limits=limits) for member in members):
        raise Unreadable(OVERLOADED)
    if any(member.flag_bits & ENCRYPTED for member in members):
        raise Unreadable(SECRET)
    check_total(sum(member.file_size for member in members if is_markup(member)), limits=limits)
    return members


def refuse_compound(source: Path) -> None:
    """Say what to do about files under a password and old ones, which share a container."""
    with source.open("rb") as file:
        head = file.read(MB)
    if not head:
        raise Unreadable("The file is empty.")
    if head.startswith(COMPOUND):
        raise Unreadable(SECRET if "EncryptedPackage".encode("utf-16-le") in head else OLD)


def is_bomb(member: zipfile.ZipInfo, *, limits: Limits) -> bool:
    """Tell whether a large member was packed tighter than honest content can be."""
    return member.file_size > SMALL and member.file_size > member.compress_size * limits.ratio


def is_markup(member: zipfile.ZipInfo) -> bool:
    """Tell whether readers need this member: pictures and the like they do not."""
    return member.filename.lower().endswith(MARKUP)


def check_total(size: int, *, limits: Limits) -> None:
    """Refuse what unpacks to more than a reader may hold."""
    if size > limits.unpacked:
        raise Unreadable(f"The file unpacks to more than {size_of(limits.unpacked)}, so no text was read.")


def markup_only(source: Path, *, limits: Limits) -> IO[bytes]:
    """Return the office file with its markup as it is and all else empty, so that readers stay small."""
    members, slim, total = checked(source, limits=limits), io.BytesIO(), 0
    try:
        with zipfile.ZipFile(source) as archive, zipfile.ZipFile(slim, "w") as copy:
            for member in members:
                data = unpacked(archive, member) if is_markup(member) else b""
                total += len(data)
                check_total(total, limits=limits)
                copy.writestr(member.filename, data, zipfile.ZIP_DEFLATED, compresslevel=1)
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError) as error:
        raise Unreadable(DAMAGED) from error
    slim.seek(0)
    return slim


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member, which the library stops at the size that the directory gives."""
    data = archive.read(member)
    # No office program writes a DTD: its only use here would be to grow or to reach out.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise Unreadable(OVERLOADED)
    return data
