"""What a page did while a test looked at it."""

from dataclasses import dataclass, field

from playwright.async_api import Dialog, Page, Request


@dataclass
class Watch:
    """Notes whom a page asks, what fails in it, and what pops up."""

    page: Page
    url: str
    strangers: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._dismiss)

    def check(self) -> None:
        """Insist that it asked nobody but our server, met no error of its own and raised no dialog."""
        assert self.strangers == [], self.strangers
        assert self.errors == [], self.errors
        assert self.dialogs == [], self.dialogs

    def _note(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.strangers.append(request.url)

    async def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        await dialog.dismiss()
