"""Copying the blobs that a copied database names, from wherever they lie, and back."""

import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import BinaryIO

from tertulia.cli.output import ProgressCallback
from tertulia.files.blob_references import BlobReference
from tertulia.infra.blobs import Blobs
from tertulia.settings import Settings

BLOBS_FOLDER = "blobs"
BLOB_COPY_BLOCK_BYTES = 1 << 20
#: How blobs are called: by their hash, and a name of their own.
BLOB_NAME_PATTERN = re.compile(r"[0-9a-f]{64}-blb_\w+")


def open_blob_store(settings: Settings) -> Blobs:
    """Return the blob store that a server with these settings has."""
    return Blobs(settings.blobs, folder=settings.data_dir / BLOBS_FOLDER)


async def copy_blobs(
    blobs: Blobs, references: list[BlobReference], folder: Path, *, report_progress: ProgressCallback
) -> list[BlobReference]:
    """Copy blobs into a folder, but for those that are there already, and return the ones that are lost."""
    lost: list[BlobReference] = []
    done, total = 0, sum(blob_reference.size for blob_reference in references)
    for reference in references:
        if not is_copied(folder / reference.key, reference) and not await copy_blob(blobs, reference, folder):
            lost.append(reference)
        done += reference.size
        report_progress("Copying files", done, total)
    return lost


async def copy_blob(blobs: Blobs, reference: BlobReference, folder: Path) -> bool:
    """Copy one blob; tell whether what came is what it must be."""
    target = folder / reference.key
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.part")
    draft.unlink(missing_ok=True)
    seen = hashlib.sha256()
    try:
        with await blobs.open(reference.key) as source, create_private_file(draft) as copy:
            while block := source.read(BLOB_COPY_BLOCK_BYTES):
                seen.update(block)
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        if seen.hexdigest() != reference.hash:
            return False
        draft.replace(target)
    except FileNotFoundError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    return True


async def put_blobs(
    blobs: Blobs,
    references: list[BlobReference],
    folder: Path,
    *,
    scratch: Path,
    report_progress: ProgressCallback,
) -> None:
    """Put the blobs of a backup back into a store; those that the backup has not were lost before."""
    done, total = 0, sum(reference.size for reference in references)
    for reference in references:
        if (folder / reference.key).is_file():
            # The store takes the file that it is given away.
            draft = scratch / "blob"
            shutil.copyfile(folder / reference.key, draft)
            await blobs.put(draft, reference.key)
            draft.unlink(missing_ok=True)
        done += reference.size
        report_progress("Restoring files", done, total)


def create_private_file(path: Path) -> BinaryIO:
    """Open a new file for its owner's eyes only."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def is_copied(path: Path, reference: BlobReference) -> bool:
    """Tell whether an earlier backup left the very same blob here."""
    if not path.is_file() or path.stat().st_size != reference.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == reference.hash


def delete_unreferenced_copies(folder: Path, references: list[BlobReference]) -> None:
    """Delete blobs of an earlier backup that the database no longer names, and nothing else."""
    kept = {folder / reference.key for reference in references}
    for path in folder.glob("wsp_*/*"):
        if path not in kept and BLOB_NAME_PATTERN.fullmatch(path.name):
            path.unlink()
