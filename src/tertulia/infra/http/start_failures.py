"""A start that fails with an error that people know is told in its sentence."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tertulia.core.errors import TertuliaError

START_FAILED = "lifespan.startup.failed"


class StartFailureMiddleware:
    """Tells the web server why the application did not start; the framework would tell the traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the life of the application, or one request."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        failures: list[Message] = []

        async def hold_failure(message: Message) -> None:
            if message["type"] == START_FAILED:
                failures.append(message)
            else:
                await send(message)

        try:
            await self._app(scope, receive, hold_failure)
        except Exception as error:
            for message in failures:
                known = {"message": str(error)} if isinstance(error, TertuliaError) else {}
                await send({**message, **known})
            raise
