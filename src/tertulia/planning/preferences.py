"""How a person's time is divided: their zone, working hours, buffers and the times they like."""

from tertulia.accounts import users
from tertulia.core.json_object import JsonObject
from tertulia.core.time_zones import known_time_zone, time_zone_names
from tertulia.infra.db import Tx
from tertulia.planning.domain import CalendarPreferences
from tertulia.planning.hours_given import normalise_hours


def read_preferences(tx: Tx) -> CalendarPreferences:
    """Return what the caller has chosen; until they do, Monday to Friday from nine to five."""
    sql = """SELECT time_zone, working_hours, buffer_minutes, preferred_times FROM calendar_preferences
        WHERE workspace_id = :workspace AND user_id = :me"""
    return tx.one(CalendarPreferences, sql) or CalendarPreferences()


def change_preferences(tx: Tx, values: JsonObject) -> CalendarPreferences:
    """Set what the caller chooses; what they do not name, also a weekday, stays as it is."""
    current = read_preferences(tx)
    hours = current.working_hours | normalise_hours(values.get("working_hours") or {})
    preferences = CalendarPreferences(
        time_zone=values.get("time_zone", current.time_zone) or "",
        working_hours=hours,
        buffer_minutes=values.get("buffer_minutes", current.buffer_minutes),
        preferred_times=list(dict.fromkeys(values.get("preferred_times", current.preferred_times))),
    )
    tx.run(
        """INSERT INTO calendar_preferences
             (workspace_id, user_id, time_zone, working_hours, buffer_minutes, preferred_times)
           VALUES (:workspace, :me, :time_zone, :working_hours, :buffer_minutes, :preferred_times)
           ON CONFLICT (workspace_id, user_id) DO UPDATE SET time_zone = :time_zone,
             working_hours = :working_hours, buffer_minutes = :buffer_minutes,
             preferred_times = :preferred_times""",
        time_zone=preferences.time_zone,
        working_hours=preferences.working_hours,
        buffer_minutes=preferences.buffer_minutes,
        preferred_times=preferences.preferred_times,
    )
    return preferences


def find_zone(tx: Tx, hint: str = "") -> str:
    """Return the zone in which the caller plans: the one chosen for it, the profile's, or a browser's."""
    chosen = read_preferences(tx).time_zone
    if chosen in time_zone_names() and chosen:
        return chosen
    people = users.list_people(tx, [tx.by.user_id])
    return known_time_zone((people[0].time_zone if people else None) or hint)
