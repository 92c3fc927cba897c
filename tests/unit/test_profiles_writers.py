"""No model, tool, job or import writes a profile: only the requests of its own person do."""

from tests.unit.test_contracts import TREE

WRITING_MODULES = {"tertulia.profiles.service", "tertulia.profiles.store"}


def test_nothing_but_the_requests_of_its_person_writes_a_profile() -> None:
    writers = {module for module, imported in TREE.imports.items() if imported & WRITING_MODULES}
    assert writers == {"tertulia.profiles.routes", "tertulia.profiles.service"}
    assert {
        module for module, imported in TREE.imports.items() if "tertulia.profiles.routes" in imported
    } == {"tertulia.server"}
