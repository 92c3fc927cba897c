"""Which names a saved tool may have: those of project files that hide no module."""

import sys

from tertulia.files.errors import PathInvalid
from tertulia.files.paths import normalise
from tertulia.sandbox.errors import NameRefused

#: What the sandbox's interpreter brings besides its standard library.
PACKAGES = frozenset(
    """PIL annotationlib attr attrs bs4 charset_normalizer cloudpickle compression contourpy cycler dateutil
    defusedxml et_xmlfile fonttools formulaic host html5lib interface_meta isympy jinja2 joblib kiwisolver
    lxml markupsafe matplotlib more_itertools mpl_toolkits mpmath narwhals networkx numpy openpyxl packaging
    pandas patsy profiling pylab pyparsing pypdf regex reportlab reportlab_mods reportlab_settings scipy
    seaborn six sklearn soupsieve statsmodels sympy tabulate threadpoolctl tlz tomli_w toolz tqdm
    typing_extensions tzdata webencodings wrapt xlrd xlsxwriter xmltodict yaml
    sitecustomize usercustomize""".lower().split()
)
TAKEN = PACKAGES | {name.lower() for name in sys.stdlib_module_names}
#: Endings that Python imports from.
IMPORTED = (".py", ".pyc", ".pyd", ".pyi", ".pyw", ".so", ".zip")


def tool_name(name: str) -> str:
    """Return the regular form of a tool's name, or raise `NameRefused` with what is wrong."""
    try:
        regular = normalise(name)
    except PathInvalid as error:
        raise NameRefused(error.message) from None
    first, _, rest = regular.partition("/")
    module = first if rest else importable(first)
    if module.lower() in TAKEN:
        raise NameRefused(f"'{regular}' would hide Python's own module '{module}': choose another name.")
    return regular


def importable(name: str) -> str:
    """Return the name under which a file would be imported, or nothing."""
    return name.partition(".")[0] if name.lower().endswith(IMPORTED) else ""


def is_kept(name: str) -> bool:
    """Tell whether a file is worth keeping: caches are not."""
    return "__pycache__" not in name.split("/") and not name.endswith(".pyc")
