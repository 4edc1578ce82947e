"""Which control plane runs: the native core, ``ttl._core``, or Python.

The classes of a launch that are on its hot path derive from a base that is either native or a plain class with slots.
With the native one, methods that it has, too, are renamed ``_slow_<name>``: it runs the usual cases itself and calls
those for everything else, before it has changed anything. So every rule, message and rare case is written once, in
Python, and a program does the same with either.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ttl import native
from ttl.diag import Diagnostic, error
from ttl.session.switches import Settings, core_at_import
from ttl.source.spans import OPERATIONS_FOLDER, PACKAGE_FOLDER, user_site

if TYPE_CHECKING:
    # For the language, which knows the native core through this module only.
    from ttl._core import KernelName as KernelName
    from ttl._core import Net as Net
    from ttl._core import PipeSpec as PipeSpec

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


def _load() -> Any:
    if core_at_import() == "python":
        return None
    try:
        return native.core()
    except ImportError:
        return None


_MODULE: Any = _load()
# Whether the native core runs. Chosen when the package is imported, for the life of the process.
NATIVE: bool = _MODULE is not None
# The type of the language's functions that are native; None where none is.
FUNCTION: type | None = _MODULE.FastFunction if _MODULE is not None else None


def loaded() -> Literal["native", "python"]:
    """The core that runs in this process."""
    return "native" if NATIVE else "python"


def another_asked_for(settings: Settings) -> Diagnostic | None:
    """Finding TTL0115, without a place, where ``settings`` ask for another core than the one that runs."""
    if settings.core in ("auto", loaded()):
        return None
    return error(
        "TTL0115",
        f"{settings.origin('core')} asks for the {settings.core} core, and this process runs the {loaded()} one",
        notes=("the core is chosen once, when ttl is imported",),
        help=(
            f"set the environment variable TTL_CORE={settings.core} before Python starts",
            f"or run the program with: ttl run --core {settings.core} PROGRAM",
        ),
    )


def base(name: str, fields: tuple[str, ...] = (), of: type = object) -> Any:
    """The class to derive from: the native one, or one with slots for ``fields``, derived from ``of``."""
    if _MODULE is not None:
        return getattr(_MODULE, name)
    return type(name, (of,), {"__slots__": fields, "__module__": __name__})


def accelerated(cls: C) -> C:
    """Class decorator: let the native base's methods come first; the class's own are its slow paths."""
    if _MODULE is None:
        return cls
    (fast,) = [base for base in cls.__bases__ if base.__module__ == _MODULE.__name__]
    for name, own in list(cls.__dict__.items()):
        if name in fast.__dict__ and callable(own) and name not in ("__new__", "__doc__"):
            delattr(cls, name)
            setattr(cls, f"_slow_{name}", own)
            if name == "__init__":
                cls.__signature__ = _Signature()  # type: ignore[attr-defined]
    return cls


class _Signature:
    """The signature of a class with a native ``__init__``: that of its Python ``__init__``."""

    def __get__(self, instance: object, owner: Any) -> Any:
        from inspect import signature

        whole = signature(getattr(owner, "_slow___init__"))  # noqa: B009 - a slow path of another class
        return whole.replace(parameters=list(whole.parameters.values())[1:])


def python_of(function: Any) -> Any:
    """The Python function behind a method of one of our objects: of a native one its slow path."""
    if not isinstance(function, BuiltinFunctionType):
        return function
    return getattr(function.__self__, f"_slow_{function.__name__}", function)


def public_names(cls: type) -> list[str]:
    """The attributes of a class that are there for users: not what the native core has for itself."""
    return [
        name
        for name in dir(cls)
        if not name.startswith("_")
        and (not isinstance(getattr(cls, name), MethodDescriptorType) or hasattr(cls, f"_slow_{name}"))
    ]


def function(kind: str, python: F, extra: Any = None) -> F:
    """A public function whose usual cases are native; ``python`` is all of it."""
    if _MODULE is None:
        return python
    fast: F = _MODULE.FastFunction(kind, python, extra)
    return fast


def write(engine: Any, value: Any, target: Any, type: Any, site: Any) -> bool:
    """Record a write natively; False where the memory of the slice is irregular."""
    done: bool = _MODULE.write(engine, value, target, type, site)
    return done


def call(name: str, *arguments: Any) -> Any:
    """A function of the native core."""
    return getattr(_MODULE, name)(*arguments)


def site_of_user() -> Any:
    """Return where the user's code is: as ``source.spans.user_site``."""
    return user_site() if _MODULE is None else _MODULE.user_site()


def same_pipes(first: Any, second: Any, *, plainly: bool = False) -> bool:
    """Whether two tuples of pipes have the same sources and destinations.

    ``plainly``: true only if that is found out quickly, without comparing objects of the user's.
    """
    if _MODULE is not None:
        same: bool = _MODULE.same_pipes(first, second, plainly)
        return same
    return not plainly and [(pipe.src, pipe.dst) for pipe in first] == [
        (pipe.src, pipe.dst) for pipe in second
    ]


def tape() -> Any:
    """An empty tape of the native core."""
    return _MODULE.Tape()


def register(**classes: Any) -> None:
    """Tell the native core which classes and functions of ours it makes instances of and calls."""
    if _MODULE is not None:
        _MODULE.configure_classes(classes)


def configure(what: str, *values: Any) -> None:
    """Hand the native core something it needs: ``configure_<what>(*values)``."""
    if _MODULE is not None:
        getattr(_MODULE, f"configure_{what}")(*values)


def bind_tensor(tensor: Any, storage: Any, engine: Any) -> None:
    """Remember the record of a tensor in it while a launch runs; forget it with None."""
    if _MODULE is not None:
        _MODULE.bind_tensor(tensor, storage, engine)


def note_match(slice: Any, type: Any) -> None:
    """A slice of this form has been found to match blocks of a type."""
    if _MODULE is not None:
        _MODULE.note_match(slice, type)


register(package_folder=PACKAGE_FOLDER, operations_folder=OPERATIONS_FOLDER)
