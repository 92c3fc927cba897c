"""All tools of the planner, in the order in which models are offered them."""

from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.tools.domain import AnyTool
from tertulia.tools.planner.create_event import CreateEvent
from tertulia.tools.planner.create_task import CreateTask
from tertulia.tools.planner.delete_event import DeleteEvent
from tertulia.tools.planner.find_available_slots import FindAvailableSlots
from tertulia.tools.planner.get_calendar_events import GetCalendarEvents
from tertulia.tools.planner.get_project_details import GetProjectDetails
from tertulia.tools.planner.get_tasks import GetTasks
from tertulia.tools.planner.list_calendars import ListCalendars
from tertulia.tools.planner.schedule_task import ScheduleTask
from tertulia.tools.planner.search_projects import SearchProjects
from tertulia.tools.planner.update_event import UpdateEvent
from tertulia.tools.planner.update_project_context import UpdateProjectContext
from tertulia.tools.planner.update_task import UpdateTask


def build_planner_tools(db: Database, log: EventLog) -> tuple[AnyTool, ...]:
    """Return the tools for what people plan."""
    return (
        GetProjectDetails(db),
        SearchProjects(db),
        GetTasks(db),
        CreateTask(db, log),
        UpdateTask(db, log),
        GetCalendarEvents(db),
        FindAvailableSlots(db),
        ScheduleTask(db, log),
        UpdateProjectContext(db, log),
        CreateEvent(db, log),
        UpdateEvent(db, log),
        DeleteEvent(db, log),
        ListCalendars(db),
    )
