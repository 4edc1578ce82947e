"""Permission to run code that a file names or contains: Python modules and kernels in C++. By default none may run.

Models and binaries come from anywhere. Running an operation of TT-Lang imports the module that ``kernel_id`` names, or
compiles and runs C++ that the file contains, without a sandbox. The caller permits this explicitly: by a flag, an
option of a pass, an argument, or ``with allowed(...)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from ttl.session import Part


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelPermissions:
    """The code that may run: ``modules`` by dotted name, with all submodules, and ``sources``, C++ kernels in files."""

    modules: tuple[str, ...] = ()
    sources: bool = False

    def allows(self, module: str) -> bool:
        """Whether a module may be imported."""
        return any(module == name or module.startswith(f"{name}.") for name in self.modules)


PERMISSIONS: Part[KernelPermissions] = Part(KernelPermissions)


def allowed(modules: Sequence[str] = (), *, sources: bool = False) -> AbstractContextManager[None]:
    """Permit more code inside of a ``with``: imports of ``modules``, and with ``sources`` the C++ of files.

    Code that was permitted before stays permitted.
    """
    before = PERMISSIONS.get()
    known = dict.fromkeys((*before.modules, *modules))
    return PERMISSIONS.given(KernelPermissions(modules=tuple(known), sources=before.sources or sources))


def module_names(text: str) -> tuple[str, ...]:
    """Split ``"gated,pkg.kernels"`` into names. Raises ``ValueError`` for text that cannot be the name of a module."""
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"'{name}' is not the name of a module, such as package.kernels")
    return names
