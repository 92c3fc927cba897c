"""Write what is generated from the code: docs/openapi.json, and the modules in docs/architecture.md."""

import json
import sys
import tempfile
from pathlib import Path

from scripts.module_index import ARCHITECTURE, with_module_index
from tertulia.server import create_app
from tertulia.settings import Settings

OPENAPI = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"


def openapi() -> str:
    """Return the description of the API as it is stored."""
    app = create_app(Settings(data_dir=Path(tempfile.gettempdir())))
    return json.dumps(app.openapi(), indent=1, sort_keys=True) + "\n"


def main(*, check: bool) -> None:
    """Write what has changed, or with `check` end with a word about it."""
    generated = {OPENAPI: openapi(), ARCHITECTURE: with_module_index(ARCHITECTURE.read_text("utf-8"))}
    outdated = [path for path, text in generated.items() if path.read_text("utf-8") != text]
    if check and outdated:
        names = " and ".join(path.name for path in outdated)
        sys.exit(f"Out of date: {names}. Run `make generate`.")
    for path in outdated:
        path.write_text(generated[path], "utf-8")
        print(f"Wrote {path.name}.")


if __name__ == "__main__":
    main(check="--check" in sys.argv)
