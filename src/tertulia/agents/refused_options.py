"""Options that some models refuse: they are asked again without, and from then on at once."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from tertulia.models.calls import Call, OfferedModel, Provider, StreamEvent
from tertulia.models.errors import OptionRefused

#: The id of a model, and the option of a call that it refuses.
RefusedOption = tuple[str, str]


class WithoutRefusedOptions:
    """A provider that is asked again without an option that its model refuses."""

    def __init__(self, provider: Provider, *, model_id: str, refused: set[RefusedOption]) -> None:
        self._provider = provider
        self._model_id = model_id
        self._refused = refused

    async def offered(self) -> list[OfferedModel]:
        """Return the models that the server lists."""
        return await self._provider.offered()

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard; a refusal comes before the first word."""
        call = self._without_known(call)
        while True:
            try:
                async with aclosing(self._provider.stream(call)) as words:
                    async for heard in words:
                        yield heard
            except OptionRefused as error:
                if getattr(call, error.option) is None:
                    raise
                self._refused.add((self._model_id, error.option))
                call = self._without_known(call)
            else:
                return

    def _without_known(self, call: Call) -> Call:
        refused = {option: None for model_id, option in self._refused if model_id == self._model_id}
        return replace(call, **refused)
