"""Which names a saved tool may have: those of project files that hide no module."""

import sys

from tertulia.files.errors import PathInvalid
from tertulia.files.paths import normalise
from tertulia.sandbox.errors import NameRefused

#: What the sandbox's interpreter brings besides its standard library.
GUEST_PACKAGES = frozenset(
    """PIL annotationlib attr attrs bs4 charset_normalizer cloudpickle compression contourpy cycler dateutil
    defusedxml et_xmlfile fonttools formulaic host html5lib interface_meta isympy jinja2 joblib kiwisolver
    lxml markupsafe matplotlib more_itertools mpl_toolkits mpmath narwhals networkx numpy openpyxl packaging
    pandas patsy profiling pylab pyparsing pypdf regex reportlab reportlab_mods reportlab_settings scipy
    seaborn six sklearn soupsieve statsmodels sympy tabulate threadpoolctl tlz tomli_w toolz tqdm
    typing_extensions tzdata webencodings wrapt xlrd xlsxwriter xmltodict yaml
    sitecustomize usercustomize""".lower().split()
)
RESERVED_MODULE_NAMES = GUEST_PACKAGES | {name.lower() for name in sys.stdlib_module_names}
#: Endings that Python imports from.
IMPORTABLE_SUFFIXES = (".py", ".pyc", ".pyd", ".pyi", ".pyw", ".so", ".zip")


def normalise_tool_name(name: str) -> str:
    """Return the regular form of a tool's name, or raise `NameRefused` with what is wrong."""
    try:
        regular = normalise(name)
    except PathInvalid as error:
        raise NameRefused(error.message) from None
    first, _, rest = regular.partition("/")
    module = first if rest else module_name_of(first)
    if module.lower() in RESERVED_MODULE_NAMES:
        raise NameRefused(f"'{regular}' would hide Python's own module '{module}': choose another name.")
    return regular


def module_name_of(name: str) -> str:
    """Return the name under which a file would be imported, or nothing."""
    return name.partition(".")[0] if name.lower().endswith(IMPORTABLE_SUFFIXES) else ""


def is_saved(name: str) -> bool:
    """Tell whether a file is worth keeping: caches are not."""
    return "__pycache__" not in name.split("/") and not name.endswith(".pyc")
