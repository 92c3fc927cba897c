"""Follows a form with files: fields say where they go, and each file is saved while the next arrives."""

from collections.abc import AsyncIterator
from dataclasses import replace

from tertulia.core.errors import TertuliaError
from tertulia.files.batch import Batch, Place
from tertulia.files.errors import UploadInvalid
from tertulia.files.intake import Intake, Spool
from tertulia.files.paths import folder
from tertulia.files.routes.form import Began, Data, Event

LONGEST_FIELD = 10_000
YES = frozenset({"true", "1", "on", "yes"})


class Reception:
    """Takes in one form. A file that is too large is passed over; the rest of the form goes on."""

    def __init__(self, batch: Batch, spool: Spool, place: Place) -> None:
        self._batch = batch
        self._spool = spool
        self._place = place
        self._name = ""
        self._field = bytearray()
        self._intake: Intake | None = None
        self._refused: TertuliaError | None = None
        self._files = 0

    async def hear(self, events: AsyncIterator[Event]) -> None:
        """Follow the form to its end; what was whole before it broke off is kept."""
        try:
            async for event in events:
                match event:
                    case Began():
                        self._begin(event)
                    case Data(block):
                        await self._take(block)
                    case _:
                        await self._end()
        finally:
            await self._drop()
            await self._batch.settle()

    def _begin(self, part: Began) -> None:
        self._field, self._refused = bytearray(), None
        self._name = part.name if part.filename is None else part.filename
        if part.filename is not None:
            self._files += 1
            self._intake = self._spool.intake()

    async def _take(self, block: bytes) -> None:
        if self._intake is None:
            self._add_to_field(block)
        elif self._refused is None:
            try:
                await self._intake.feed(block)
            except TertuliaError as error:
                self._refused = error

    async def _end(self) -> None:
        if self._intake is None:
            self._set_field(self._field.decode(errors="replace"))
        elif self._refused is not None:
            self._batch.skip(self._name, self._refused)
            await self._drop()
        else:
            received = await self._intake.finish()
            self._intake = None
            await self._batch.add(self._place, self._name, received)

    async def _drop(self) -> None:
        if self._intake is not None:
            await self._intake.discard()
            self._intake = None

    def _add_to_field(self, block: bytes) -> None:
        self._field += block
        if len(self._field) > LONGEST_FIELD:
            raise UploadInvalid(f"The field {self._name!r} is too long.")

    def _set_field(self, value: str) -> None:
        if self._files:
            raise UploadInvalid("Send the fields of the form before its files.")
        if self._name == "prefix":
            self._place = replace(self._place, prefix=folder(value))
        elif self._name == "unpack":
            self._place = replace(self._place, unpack=value.strip().lower() in YES)
        else:
            raise UploadInvalid(f"There is no field {self._name!r}: `prefix` and `unpack` are known.")
