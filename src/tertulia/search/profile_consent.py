"""All that search knows of profiles: whether the caller agreed to having one."""

from tertulia.infra.db import Tx


def has_profile_consent(tx: Tx) -> bool:
    """Tell whether the caller agreed to having a profile."""
    sql = "SELECT 1 FROM profile_consents WHERE workspace_id = :workspace AND user_id = :me"
    return tx.value(sql) is not None
