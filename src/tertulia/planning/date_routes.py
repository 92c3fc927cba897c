"""Reading days and times in words over HTTP."""

from tertulia.core.clock import now
from tertulia.dates.expressions import read_expression
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.planning.date_schemas import DateReadingView, DateText
from tertulia.planning.errors import NothingRead
from tertulia.planning.preferences import find_zone

router = Router(prefix="/api/dates", tags=["planning"])


@router.post("/read")
async def read_date(body: DateText, me: Me, db: Db) -> DateReadingView:
    """Read the day, time, span or rule that words name (English, German, French, Spanish), in your zone."""
    zone = await db.read(lambda tx: find_zone(tx, body.zone or ""), by=me)
    reading = read_expression(body.text, now=now(), zone=zone)
    if reading is None:
        raise NothingRead
    return DateReadingView.of(reading)
