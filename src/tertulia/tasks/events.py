"""Telling devices that there are tasks to fetch, never what they say."""

import msgspec

from tertulia.core.nul_characters import encode_storable_json
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic, publish_to_members


class TasksChanged(msgspec.Struct, frozen=True, tag="tasks.changed"):
    """Tasks or phases of a project, or one's own without a project, are new, changed or gone: fetch them."""

    project_id: str | None = None


def publish_change(tx: Tx, *project_ids: str | None, log: EventLog) -> None:
    """Tell every member of changes in projects, and the caller's own devices where there is no project."""
    for project_id in dict.fromkeys(project_ids):
        event = TasksChanged(project_id)
        if project_id is None:
            topic = member_topic(tx.by.workspace_id, tx.by.user_id)
            log.append(tx, topic, [encode_storable_json(event)])
        else:
            publish_to_members(tx, event, log=log)
