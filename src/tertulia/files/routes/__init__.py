"""Files over HTTP."""

from tertulia.files.routes.content import router as content
from tertulia.files.routes.folders import router as listing
from tertulia.files.routes.one_file import router as one_file
from tertulia.files.routes.uploads import router as uploading
from tertulia.files.routes.versions import router as versions

# `at` and `move` come before what takes an id in their place.
routers = (listing, uploading, one_file, versions, content)

__all__ = ["routers"]
