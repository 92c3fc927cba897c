"""Looks into an office file before anything unpacks it, and gives readers only its markup.

Nothing inside is opened in turn: an archive in an archive stays closed.
"""

import io
import zipfile
import zlib
from pathlib import Path
from typing import IO

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.errors import TextUnreadable
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.text_sink import format_bytes

OFFICE_FILE_DAMAGED = "The file is damaged or incomplete: save it again in the program that made it."
OFFICE_FILE_OVERLOADED = "The file is packed so as to overload its reader, so no text was read."
OFFICE_FILE_ENCRYPTED = "The file is protected with a password: save it without one to have its text read."
OFFICE_FORMAT_TOO_OLD = (
    "The file has a format of before 2007: save it in the current one (.docx, .pptx or .xlsx)."
)
COMPOUND_FILE_PREFIX = b"\xd0\xcf\x11\xe0"
BOMB_CHECK_MIN_BYTES = 4 * MEBIBYTE_BYTES
MARKUP_SUFFIXES = (".xml", ".rels")
OFFICE_ENCRYPTED_FLAG = 0x1


def check_office_archive(source: Path, *, limits: ExtractionLimits) -> list[zipfile.ZipInfo]:
    """Return the members of an office file that is what it should be, judged by its directory."""
    refuse_compound(source)
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise TextUnreadable(OFFICE_FILE_DAMAGED) from error
    if len(members) > limits.archive_members or any(is_bomb(member, limits=limits) for member in members):
        raise TextUnreadable(OFFICE_FILE_OVERLOADED)
    if any(member.flag_bits & OFFICE_ENCRYPTED_FLAG for member in members):
        raise TextUnreadable(OFFICE_FILE_ENCRYPTED)
    check_total(sum(member.file_size for member in members if is_markup(member)), limits=limits)
    return members


def refuse_compound(source: Path) -> None:
    """Say what to do about files under a password and old ones, which share a container."""
    with source.open("rb") as file:
        head = file.read(MEBIBYTE_BYTES)
    if not head:
        raise TextUnreadable("The file is empty.")
    if head.startswith(COMPOUND_FILE_PREFIX):
        raise TextUnreadable(
            OFFICE_FILE_ENCRYPTED if "EncryptedPackage".encode("utf-16-le") in head else OFFICE_FORMAT_TOO_OLD
        )


def is_bomb(member: zipfile.ZipInfo, *, limits: ExtractionLimits) -> bool:
    """Tell whether a large member was packed tighter than honest content can be."""
    honest_size = max(BOMB_CHECK_MIN_BYTES, member.compress_size * limits.compression_ratio)
    return member.file_size > honest_size


def is_markup(member: zipfile.ZipInfo) -> bool:
    """Tell whether readers need this member: pictures and the like they do not."""
    return member.filename.lower().endswith(MARKUP_SUFFIXES)


def check_total(size: int, *, limits: ExtractionLimits) -> None:
    """Refuse what unpacks to more than a reader may hold."""
    if size > limits.markup_bytes:
        raise TextUnreadable(
            f"The file unpacks to more than {format_bytes(limits.markup_bytes)}, so no text was read."
        )


def copy_markup_only(source: Path, *, limits: ExtractionLimits) -> IO[bytes]:
    """Return the office file with its markup as it is and all else empty, so that readers stay small."""
    members, slim, total = check_office_archive(source, limits=limits), io.BytesIO(), 0
    try:
        with zipfile.ZipFile(source) as archive, zipfile.ZipFile(slim, "w") as copy:
            for member in members:
                data = read_member(archive, member) if is_markup(member) else b""
                total += len(data)
                check_total(total, limits=limits)
                copy.writestr(member.filename, data, zipfile.ZIP_DEFLATED, compresslevel=1)
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError) as error:
        raise TextUnreadable(OFFICE_FILE_DAMAGED) from error
    slim.seek(0)
    return slim


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member, which the library stops at the size that the directory gives."""
    data = archive.read(member)
    # No office program writes a DTD: its only use here would be to grow or to reach out.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise TextUnreadable(OFFICE_FILE_OVERLOADED)
    return data
