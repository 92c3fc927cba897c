"""Server-sent events, read from whatever pieces the network cuts them into.

httpx2's own reader caps events too, but it replaces invalid UTF-8 silently and
insists on a content type that not every server sends; a garbled reply must be
told apart from a good one here.
"""

#: No provider sends an event this large; one that does is broken or hostile.
SSE_EVENT_MAX_BYTES = 8 * 1024 * 1024


class EventGarbled(Exception):
    """The bytes are no server-sent events that we can use; `events_before` came before them."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.events_before: list[bytes] = []


class SseReader:
    """Turns bytes into the `data` of events. Comments and other fields are left out."""

    def __init__(self, *, max_bytes: int = SSE_EVENT_MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._data: list[bytes] = []
        self._data_size = 0
        self._after_cr = False
        self._at_start = True

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that `piece` completes."""
        if not (self._rest or self._data or self._after_cr) and is_one_event(piece):
            self._add(piece[6:-2])
            return [self._take()]
        if self._after_cr and piece[:1] == b"\n":
            piece = piece[1:]
        if not piece:
            return []
        self._after_cr = piece.endswith(b"\r")
        lines = piece.splitlines()
        unfinished = b"" if piece[-1] in b"\r\n" else lines.pop()
        if lines and self._rest:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest, self._rest_size = [], 0
        events: list[bytes] = []
        try:
            self._read(lines, events)
            self._keep(unfinished)
        except EventGarbled as error:
            error.events_before = events
            raise
        return events

    def end(self) -> list[bytes]:
        """Return the last event if its lines are whole but the blank line after them is missing."""
        events: list[bytes] = []
        self._read([b""], events)
        return events

    def _keep(self, unfinished: bytes) -> None:
        if unfinished:
            self._rest.append(unfinished)
            self._rest_size += len(unfinished)
        if self._rest_size + self._data_size > self._max_bytes:
            raise EventGarbled(f"it sent an event of more than {self._max_bytes} bytes")

    def _read(self, lines: list[bytes], events: list[bytes]) -> None:
        for line in lines:
            if not line:
                if self._data:
                    events.append(self._take())
            elif line.startswith(b"data:"):
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif self._at_start and line.startswith(b"\xef\xbb\xbfdata:"):
                self._add(line[8:].removeprefix(b" "))
            self._at_start = False

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._data_size += len(data)
        if self._data_size > self._max_bytes:
            raise EventGarbled(f"it sent an event of more than {self._max_bytes} bytes")

    def _take(self) -> bytes:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data, self._data_size = [], 0
        try:
            data.decode()
        except UnicodeDecodeError:
            raise EventGarbled("it sent text that is not UTF-8") from None
        return data


def is_one_event(piece: bytes) -> bool:
    """Tell whether a piece is exactly one event of one line, as nearly all of them are."""
    return (
        piece.startswith(b"data: ")
        and piece.endswith(b"\n\n")
        and piece.find(b"\n") == len(piece) - 2
        and b"\r" not in piece
    )
