"""Headers that stand in for those of TT-NN, which no wheel has: types without contents, and the functions that calls are written of.

The functions are those of ``ttmlir.standalone.cpp_api``. That these are the library's, the symbols of the shared objects in the
wheel say (``exported``): what a compiled program needs of the library has to be among them, name and types of parameters alike.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from support.real_ttnn import environment
from ttmlir.standalone.cpp_api import LIBRARIES, CppApi, CppFunction

TYPES = Path(__file__).parent / "library_headers"
_INCLUDED = re.compile(r'^#include "(ttnn/[^"]+)"$', re.M)


def stub_headers(folder: Path, api: CppApi, header: str) -> Path:
    """A folder to include from: all that the library's headers have is in the first one that ``header`` includes."""
    first, *others = _INCLUDED.findall(header)
    text = (TYPES / ("types_0_81.h" if api == "0.81" else "types_2024.h")).read_text(encoding="utf-8")
    text += "".join(_declaration(function) for function in LIBRARIES[api].functions.values())
    for name, content in ((first, text), *((other, "") for other in others)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def _declaration(function: CppFunction) -> str:
    *namespaces, name = function.name.partition("<")[0].split("::")
    template = re.search(r"<(\w+)>", function.name)
    parameters = ", ".join(
        f"{one.type} {one.name}" + ("" if one.default is None else f" = {one.default}")
        for one in function.parameters
    )
    result = "ttnn::Tensor" if function.is_tensor else "std::tuple<ttnn::Tensor>"
    if name == "deallocate":
        result = "void"
    head = ""
    if template is not None:
        head = "template <typename T> "
        parameters = re.sub(rf"\b{template[1]}\b(?! \w+ = )(?=>| fill_value)", "T", parameters)
    return f"namespace {'::'.join(namespaces)} {{ {head}{result} {name}({parameters}); }}\n"


def needed(object_file: Path) -> set[str]:
    """The functions of the library that an object file needs, with the types of their parameters."""
    text = subprocess.run(["nm", "-uC", str(object_file)], check=True, capture_output=True, text=True).stdout
    names = (line.split(None, 1)[1] for line in text.splitlines())
    return {name for name in names if re.search(r"\b(ttnn|tt)::", name)}


@cache
def exported() -> frozenset[str]:
    """The functions that the shared objects in the wheel of ttnn 0.81 have. Raises ``real_ttnn.Missing``."""
    python = environment("0.81")
    (folder,) = python.parent.parent.glob("lib/python3*/site-packages/ttnn/build/lib")
    names = set()
    for library in ("_ttnncpp.so", "libtt_metal.so"):
        text = subprocess.run(
            ["nm", "-DC", "--defined-only", str(folder / library)], check=True, capture_output=True, text=True
        ).stdout
        names |= {line.split(None, 2)[2] for line in text.splitlines()}
    return frozenset(names)
