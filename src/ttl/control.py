"""The choice of the control plane: the native core, ``ttl._core``, or Python.

The classes on the hot path of a launch derive from a base that is either native or a plain class with slots. Methods
that the native base also has are renamed ``_slow_<name>``: the native method handles the usual cases itself, and calls
the Python method for all others before it has changed any state. So every rule, message and rare case is written once,
in Python, and a program behaves the same with both.
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
    # For ``ttl.lang``, which uses the native core only through this module.
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
# The type of the language's native functions; None without the native core.
FUNCTION: type | None = _MODULE.FastFunction if _MODULE is not None else None


def loaded() -> Literal["native", "python"]:
    """The core that runs in this process."""
    return "native" if NATIVE else "python"


def another_asked_for(settings: Settings) -> Diagnostic | None:
    """Return finding TTL0115, without a place, if ``settings`` ask for another core than the running one; else None."""
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
    """The base class ``name``: the native class, or a new class with slots for ``fields`` that derives from ``of``."""
    if _MODULE is not None:
        return getattr(_MODULE, name)
    return type(name, (of,), {"__slots__": fields, "__module__": __name__})


def accelerated(cls: C) -> C:
    """Class decorator: methods of the native base take precedence; the class's own methods become their slow paths."""
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
    """The Python function behind a method of an object of this package; for a native method, its slow path."""
    if not isinstance(function, BuiltinFunctionType):
        return function
    return getattr(function.__self__, f"_slow_{function.__name__}", function)


def public_names(cls: type) -> list[str]:
    """The attributes of a class for users; methods that only the native core uses are left out."""
    return [
        name
        for name in dir(cls)
        if not name.startswith("_")
        and (not isinstance(getattr(cls, name), MethodDescriptorType) or hasattr(cls, f"_slow_{name}"))
    ]


def function(kind: str, python: F, extra: Any = None) -> F:
    """A public function whose usual cases are native; ``python`` implements all cases."""
    if _MODULE is None:
        return python
    fast: F = _MODULE.FastFunction(kind, python, extra)
    return fast


def write(engine: Any, value: Any, target: Any, type: Any, site: Any) -> bool:
    """Record a write in the native core; return False if the memory of the slice is irregular."""
    done: bool = _MODULE.write(engine, value, target, type, site)
    return done


def call(name: str, *arguments: Any) -> Any:
    """Call a function of the native core."""
    return getattr(_MODULE, name)(*arguments)


def site_of_user() -> Any:
    """Return the place in the user's code that is being executed, like ``source.spans.user_site``."""
    return user_site() if _MODULE is None else _MODULE.user_site()


def same_pipes(first: Any, second: Any, *, plainly: bool = False) -> bool:
    """Whether two tuples of pipes have the same sources and destinations.

    With ``plainly``, the result is True only if that is found quickly, without comparing objects of the user.
    """
    if _MODULE is not None:
        same: bool = _MODULE.same_pipes(first, second, plainly)
        return same
    return not plainly and [(pipe.src, pipe.dst) for pipe in first] == [
        (pipe.src, pipe.dst) for pipe in second
    ]


def tape() -> Any:
    """Create an empty tape of the native core."""
    return _MODULE.Tape()


def register(**classes: Any) -> None:
    """Pass to the native core the classes that it creates instances of, and the functions that it calls."""
    if _MODULE is not None:
        _MODULE.configure_classes(classes)


def configure(what: str, *values: Any) -> None:
    """Configure the native core: call its function ``configure_<what>`` with values."""
    if _MODULE is not None:
        getattr(_MODULE, f"configure_{what}")(*values)


def bind_tensor(tensor: Any, storage: Any, engine: Any) -> None:
    """Store a tensor's record for a running launch in the tensor; None removes it."""
    if _MODULE is not None:
        _MODULE.bind_tensor(tensor, storage, engine)


def note_match(slice: Any, type: Any) -> None:
    """Note in the native core that slices of this form match blocks of a type."""
    if _MODULE is not None:
        _MODULE.note_match(slice, type)


register(package_folder=PACKAGE_FOLDER, operations_folder=OPERATIONS_FOLDER)
