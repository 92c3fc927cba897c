"""How many replies may be written at once. Checked by the one writer: no race beats it."""

from tertulia.accounts.domain import WorkspaceSettings
from tertulia.infra.db import Tx
from tertulia.settings import Settings
from tertulia.turns import store
from tertulia.turns.errors import TooManyReplies


def check_concurrent_replies(tx: Tx, lanes: int, *, settings: Settings, workspace: WorkspaceSettings) -> None:
    """Raise when so many more replies would be too many at once, for the person or the workspace."""
    mine, everyone = store.count_running_replies(tx)
    own_limit = workspace.lanes_per_person or settings.lanes_per_person
    shared_limit = workspace.lanes_per_workspace or settings.lanes_per_workspace
    if mine + lanes > own_limit:
        raise TooManyReplies("You", own_limit)
    if everyone + lanes > shared_limit:
        raise TooManyReplies("Your workspace", shared_limit)
