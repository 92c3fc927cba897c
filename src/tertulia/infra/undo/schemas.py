"""Deletions on the wire."""

from tertulia.infra.http.schema import Schema, Timestamp


class DeletionView(Schema):
    """What was deleted can be restored by this id, until then."""

    id: str
    restore_until: Timestamp
