"""The log of a process: a line for what people know, a traceback for what nobody foresaw."""

import copy
import logging

from tertulia.core.errors import TertuliaError

LOG_LINE_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class SentenceFormatter(logging.Formatter):
    """Writes an error of ours as its sentence; where it was raised is of no use to whoever reads that."""

    def format(self, record: logging.LogRecord) -> str:
        """Return what is written of one record."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, TertuliaError):
            return super().format(record)
        short = copy.copy(record)
        short.msg, short.args = f"{record.getMessage()} {error}", ()
        short.exc_info = short.exc_text = None
        return super().format(short)


def start_logging(level: str) -> None:
    """Have a process write its log to standard error."""
    handler = logging.StreamHandler()
    detailed = level.lower() == "debug"
    handler.setFormatter(
        logging.Formatter(LOG_LINE_FORMAT) if detailed else SentenceFormatter(LOG_LINE_FORMAT)
    )
    logging.basicConfig(level=level.upper(), handlers=[handler])
