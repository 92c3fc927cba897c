"""The database. A transaction is a plain function that is given a `Tx`.

    await db.read(lambda tx: store.get(tx, id), by=me)
    await db.write(lambda tx: store.add(tx, thing), by=me)

The function runs whole, on the database's own thread: nothing can be awaited
inside it, so no transaction is ever open across a model call.
"""

from tertulia.infra.db.database import Database
from tertulia.infra.db.json_lists import bound_list, bound_rows, stored_list
from tertulia.infra.db.like_patterns import escape_like, fold_case, like_folded
from tertulia.infra.db.packed_values import Packed, PackedText
from tertulia.infra.db.tx import Tx

__all__ = [
    "Database",
    "Packed",
    "PackedText",
    "Tx",
    "bound_list",
    "bound_rows",
    "escape_like",
    "fold_case",
    "like_folded",
    "stored_list",
]
