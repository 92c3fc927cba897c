"""Write what is generated from the code: docs/openapi.json."""

import json
import sys
import tempfile
from pathlib import Path

from tertulia.server import create_app
from tertulia.settings import Settings

TARGET = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"


def openapi() -> str:
    """Return the description of the API as it is stored."""
    app = create_app(Settings(data_dir=Path(tempfile.gettempdir())))
    return json.dumps(app.openapi(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        TARGET.write_text(openapi(), "utf-8")
        print(f"Wrote {TARGET.name}.")
    elif TARGET.read_text("utf-8") != openapi():
        sys.exit(f"{TARGET.name} is out of date: run `make generate`.")
