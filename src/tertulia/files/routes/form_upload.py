"""Follows a form with files: fields say where they go, and each file is saved while the next arrives."""

from collections.abc import AsyncIterator
from dataclasses import replace

from tertulia.core.errors import TertuliaError
from tertulia.files.errors import UploadInvalid
from tertulia.files.paths import normalise_folder
from tertulia.files.routes.multipart_form import FormEvent, PartBegan, PartData
from tertulia.files.spool import FileIntake, Spool
from tertulia.files.upload_batch import UploadBatch, UploadTarget

FORM_FIELD_MAX_BYTES = 10_000
TRUE_FIELD_VALUES = frozenset({"true", "1", "on", "yes"})


class FormUpload:
    """Takes in one form. A file that is too large is passed over; the rest of the form goes on."""

    def __init__(self, batch: UploadBatch, spool: Spool, target: UploadTarget) -> None:
        self._batch = batch
        self._spool = spool
        self._target = target
        self._name = ""
        self._field = bytearray()
        self._intake: FileIntake | None = None
        self._refused: TertuliaError | None = None
        self._file_count = 0

    async def receive(self, events: AsyncIterator[FormEvent]) -> None:
        """Follow the form to its end; what was whole before it broke off is kept."""
        try:
            async for event in events:
                match event:
                    case PartBegan():
                        self._begin_part(event)
                    case PartData(block):
                        await self._feed(block)
                    case _:
                        await self._end_part()
        finally:
            await self._discard()
            await self._batch.wait_for_saves()

    def _begin_part(self, part: PartBegan) -> None:
        self._field, self._refused = bytearray(), None
        self._name = part.name if part.filename is None else part.filename
        if part.filename is not None:
            self._file_count += 1
            self._intake = self._spool.open_intake()

    async def _feed(self, block: bytes) -> None:
        if self._intake is None:
            self._add_to_field(block)
        elif self._refused is None:
            try:
                await self._intake.feed(block)
            except TertuliaError as error:
                self._refused = error

    async def _end_part(self) -> None:
        if self._intake is None:
            self._set_field(self._field.decode(errors="replace"))
        elif self._refused is not None:
            self._batch.skip(self._name, self._refused)
            await self._discard()
        else:
            received = await self._intake.finish()
            self._intake = None
            await self._batch.add(self._target, self._name, received)

    async def _discard(self) -> None:
        if self._intake is not None:
            await self._intake.discard()
            self._intake = None

    def _add_to_field(self, block: bytes) -> None:
        self._field += block
        if len(self._field) > FORM_FIELD_MAX_BYTES:
            raise UploadInvalid(f"The field {self._name!r} is too long.")

    def _set_field(self, value: str) -> None:
        if self._file_count:
            raise UploadInvalid("Send the fields of the form before its files.")
        if self._name == "prefix":
            self._target = replace(self._target, prefix=normalise_folder(value))
        elif self._name == "unpack":
            self._target = replace(self._target, unpack=value.strip().lower() in TRUE_FIELD_VALUES)
        else:
            raise UploadInvalid(f"There is no field {self._name!r}: `prefix` and `unpack` are known.")
