"""Asking a model for one step: again while its provider is busy or refuses a part, never after a word."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing

import anyio

from tertulia.agents.loop_limits import shorten_tool_results
from tertulia.agents.model_quirks import ModelQuirks
from tertulia.agents.retry import RetryScheduled, plan_retry
from tertulia.agents.text_tool_calls import TextToolReader
from tertulia.models.calls import Call, Provider, StreamEvent, Usage
from tertulia.models.errors import PromptTooLong, ProviderError

#: Returns who answers for a model just now: its connection may change while a reply goes on.
FindProvider = Callable[[], Awaitable[Provider]]
OnEvent = Callable[[StreamEvent | RetryScheduled], None]
#: Returns when a model may be asked again, or raises when it may not.
AdmitRetry = Callable[[RetryScheduled], Awaitable[None]]
#: Returns a call without what may be told no longer.
ReviseCall = Callable[[Call], Awaitable[Call]]


async def admit_every_retry(_: RetryScheduled) -> None:
    """Let a model be asked again."""


async def keep_call(call: Call) -> Call:
    """Return a call as it is."""
    return call


async def stream_step(
    find_provider: FindProvider,
    call: Call,
    *,
    quirks: ModelQuirks,
    retries: int,
    on_event: OnEvent,
    admit_retry: AdmitRetry = admit_every_retry,
    revise: ReviseCall = keep_call,
) -> None:
    """Pass on all that a model says to one call. Cancelling this closes the connection at once.

    Until something was heard, a failure may be mended: without what the model refuses, with less of
    what tools gave where that is too long, or after a pause. `revise` sees the call before each attempt.
    """
    attempt, has_heard, is_shortened = 0, False, False
    reported: Usage | None = None

    def pass_on(event: StreamEvent) -> None:
        nonlocal has_heard, reported
        if isinstance(event, Usage):
            reported = event
        else:
            has_heard = True
        on_event(event)

    while True:
        reported = None
        call = await revise(call)
        sent = quirks.adapt(call)
        ask = ask_with_text_tools if call.tools and not sent.tools else ask_once
        try:
            return await ask(await find_provider(), sent, on_event=pass_on)
        except ProviderError as error:
            if has_heard:
                raise
            if quirks.learn(error, sent):
                continue
            if isinstance(error, PromptTooLong) and has_tool_results(call) and not is_shortened:
                call, is_shortened, attempt = shorten_tool_results(call), True, 0
                continue
            retry = plan_retry(error, attempt=attempt, retries=retries, reported=reported)
            if retry is None:
                raise
        on_event(retry)
        attempt += 1
        await anyio.sleep(retry.wait)
        await admit_retry(retry)


async def ask_once(provider: Provider, call: Call, *, on_event: Callable[[StreamEvent], None]) -> None:
    """Ask, and pass on what is heard."""
    async with aclosing(provider.stream(call)) as events:
        async for event in events:
            on_event(event)


async def ask_with_text_tools(
    provider: Provider, call: Call, *, on_event: Callable[[StreamEvent], None]
) -> None:
    """Ask, and pass on what is heard with blocks as calls; what follows the blocks is not waited for."""
    reader = TextToolReader(call)
    async with aclosing(provider.stream(call)) as events:
        async for event in events:
            for read in reader.feed(event):
                on_event(read)
            if reader.is_straying:
                break
    for read in reader.finish():
        on_event(read)


def has_tool_results(call: Call) -> bool:
    """Tell whether a call shows what tools gave."""
    return any(said.tool_results for said in call.messages)
