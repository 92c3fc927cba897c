"""A log is readable: errors that people know are a line of it, and only others have a traceback."""

import logging
import sys

from tertulia.core.log_format import SentenceFormatter
from tertulia.infra.db.errors import StorageFailed


def written(error: Exception) -> str:
    try:
        raise error
    except type(error):
        record = logging.LogRecord(
            "tertulia", logging.ERROR, "", 1, "Job %s failed.", ("job_1",), sys.exc_info()
        )
    return SentenceFormatter("%(levelname)s %(message)s").format(record)


def test_an_error_that_people_know_is_one_line() -> None:
    assert written(StorageFailed("gone")) == (
        "ERROR Job job_1 failed. The database could not be reached (gone). Nothing was changed."
    )


def test_an_error_that_nobody_foresaw_keeps_its_traceback() -> None:
    assert "Traceback" in written(ZeroDivisionError("division by zero"))
