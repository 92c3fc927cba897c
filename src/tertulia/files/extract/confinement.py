"""Takes away from a process what reading a file does not need."""

import os
import signal
import sys

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.limits import ExtractionLimits

EXTRACTION_NICENESS = 5
EXTRACTION_OPEN_FILES_MAX = 64
#: More than the text may take, so that the text's own limit speaks first.
EXTRACTED_TEXT_SLACK_BYTES = MEBIBYTE_BYTES

if sys.platform == "win32":

    def confine(limits: ExtractionLimits) -> None:
        """Leave the process as it is: the deadline that its starter keeps is all there is here."""
        del limits

    def allow(seconds: float) -> None:
        """Leave the time as it is."""
        del seconds

else:
    import resource

    def confine(limits: ExtractionLimits) -> None:
        """Limit memory, time and files; the alarm holds even when whoever started the process is gone."""
        os.nice(EXTRACTION_NICENESS)
        signal.setitimer(signal.ITIMER_REAL, limits.seconds + 1)
        most = {
            resource.RLIMIT_AS: limits.memory_bytes,
            resource.RLIMIT_FSIZE: limits.text_bytes + EXTRACTED_TEXT_SLACK_BYTES,
            resource.RLIMIT_NOFILE: EXTRACTION_OPEN_FILES_MAX,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_CPU: int(limits.seconds) + 1,
        }
        for kind, limit in most.items():
            resource.setrlimit(kind, (limit, limit))

    def allow(seconds: float) -> None:
        """Give the process this much more computing time to live, in place of what it was given before."""
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
