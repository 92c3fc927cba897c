"""Which rounds are on a branch: the quick answer agrees with walking all the way, on trees of any shape."""

from collections.abc import Sequence
from random import Random

from tests.world import Person, World

from tertulia.conversations import rounds, store
from tertulia.conversations.domain import Policy, Round
from tertulia.conversations.message_visibility import Branch, filter_rounds_on_branch
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx

TREES = 20
MOST_ROUNDS = 25


def grow(tx: Tx, conversation_id: str, chance: Random) -> list[Round]:
    """Add rounds to a conversation, most of them after the last one, some after any other."""
    added: list[Round] = []
    for _ in range(chance.randrange(1, MOST_ROUNDS)):
        before = None if not added else added[-1] if chance.random() < 0.7 else chance.choice([*added, None])
        round_ = Round(
            id=new_id("rnd"),
            workspace_id=tx.by.workspace_id,
            conversation_id=conversation_id,
            parent_id=before.id if before else None,
            number=before.number + 1 if before else 1,
            policy=Policy.EVERYONE,
            author_id=tx.by.user_id,
            created_at=now(),
        )
        rounds.add_round(tx, round_)
        added.append(round_)
    return added


def walked(tree: Sequence[Round], last: str | None) -> set[str]:
    """Return the rounds that lead to one, by walking back from it."""
    parents = {one.id: one.parent_id for one in tree}
    path: set[str] = set()
    while last is not None:
        path.add(last)
        last = parents[last]
    return path


async def test_the_rounds_of_a_branch_are_those_that_one_walks_back_through(
    world: World, ada: Person
) -> None:
    chance = Random(7)
    made = [(await ada.post("/api/conversations", {"title": "Tree"})).json()["id"] for _ in range(TREES)]

    def check(tx: Tx) -> None:
        trees = {id_: grow(tx, id_, chance) for id_ in made}
        heads = {id_: chance.choice(tree).id for id_, tree in trees.items()}
        for id_, head in heads.items():
            store.change(tx, id_, head_id=head)
        shown = {one for id_, tree in trees.items() for one in walked(tree, heads[id_])}
        every = [one.id for tree in trees.values() for one in tree]
        assert filter_rounds_on_branch(tx, every) == shown

        for id_, tree in trees.items():
            own = {one.id for one in tree}
            for last in [*own, None]:
                some = chance.sample(every, len(every) // 2)
                wanted = (shown - own | walked(tree, last)) & set(some)
                assert filter_rounds_on_branch(tx, some, branch=Branch(id_, last)) == wanted
                assert filter_rounds_on_branch(tx, own, branch=Branch(id_, last)) == walked(tree, last)

    await world.db.write(check, by=ada.principal)
