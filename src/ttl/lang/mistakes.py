"""Python's own errors about objects of this package, in the language's terms.

``blk.store()``, ``len(blk)``, ``with dfb as blk:`` and ``blk.stor(x)`` end in a TypeError or AttributeError that Python
raises in the user's frame, with internal names of this package in it. Every module that runs user code passes such an
error to ``explained`` afterwards; until then this has no cost.
"""

from __future__ import annotations

import ast
import difflib
import dis
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import FrameType, ModuleType, TracebackType
from typing import Any

from ttl import control
from ttl.diag import Diagnostic, error, spelling
from ttl.diag.model import Remedy
from ttl.diag.remedies import AcquireBlock, CalleeByName, MethodAsFunction, Rename
from ttl.diag.values import kind_named
from ttl.host.errors import MissingNameError
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.debug import signpost
from ttl.lang.devices import DeviceDomain, DeviceRef, DeviceView, PipeMapping, TransferGraph
from ttl.lang.expr import BlockExpr
from ttl.lang.kernels import KernelFunction
from ttl.lang.names import SAME
from ttl.lang.operation import Operation
from ttl.lang.pipe import DstPipeIdentity, Pipe, PipeNet, SrcPipeIdentity
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.lang.transfers import GroupTransfer, TensorSlice, Transfer
from ttl.lang.wrong_calls import wrong_call
from ttl.rows.table import OPS
from ttl.rules import python
from ttl.rules.expressions import item_assigned
from ttl.source.calls import call_at, with_items
from ttl.source.files import line
from ttl.source.names import names_visible
from ttl.source.spans import Site, Span, is_library_file, is_ours, span_of_site

# The public classes, subclasses first.
_CLASSES: tuple[type, ...] = (
    Block, BlockExpr, DataflowBuffer, TensorSlice, Transfer, GroupTransfer, SrcPipeIdentity, DstPipeIdentity, Pipe,
    PipeNet, DeviceDomain, DeviceView, DeviceRef, TransferGraph, PipeMapping, Semaphore, UnicastRemoteSemaphore, MulticastRemoteSemaphore, KernelFunction, Operation, signpost,
)  # fmt: skip
_WORDS = {public: kind_named(public.__name__) for public in _CLASSES}
_LIBRARIES = frozenset({"numpy", "torch", "functools", "operator", "math", "contextlib"})
_WRONG_CALL = re.compile(r"\A[\w.<>]+\(\) (missing|takes|got) ")


def explained(raised: BaseException) -> Diagnostic | None:
    """The diagnostic, with its location, of an error that Python raised about objects of this package.

    None for others.
    """
    if type(raised) not in (TypeError, AttributeError, RuntimeError, ImportError):
        return None
    entry = _users_entry(raised.__traceback__)
    if entry is None or _raised_by_the_user(entry):
        return None
    frame, site = entry.tb_frame, (entry.tb_frame.f_code, entry.tb_lasti)
    if isinstance(raised, AttributeError):
        finding = _wrong_name(raised)
    elif isinstance(raised, ImportError):
        finding = not_imported(raised)
    else:
        called = _called(frame, site, str(raised)) if _WRONG_CALL.match(str(raised)) else None
        finding = (
            wrong_call(called, str(raised))
            if called is not None
            else _wrong_use(str(raised), frame.f_globals)
        )
    return None if finding is None else finding.at(_place(frame, site))


def of_python(raised: BaseException) -> Diagnostic | None:
    """The diagnostic, with its location, of a mistake in plain Python code of an operation; None for others."""
    if type(raised) not in (NameError, TypeError):
        return None
    entry = _users_entry(raised.__traceback__)
    if entry is None or entry.tb_next is not None or _raised_by_the_user(entry):
        return None
    frame, site = entry.tb_frame, (entry.tb_frame.f_code, entry.tb_lasti)
    place = _place(frame, site)
    if isinstance(raised, NameError):
        finding = (
            python.undefined_name(raised.name, names_visible(place.file, place.line)) if raised.name else None
        )
        return None if finding is None else finding.at(place)
    call = call_at(site)
    called = (
        range if call is not None and isinstance(call.func, ast.Name) and call.func.id == "range" else None
    )
    plain = wrong_python(str(raised), called)
    return None if plain is None else plain.at(place)


def wrong_python(said: str, function: Any) -> Diagnostic | None:
    """Return the finding about counts and shapes in a TypeError of a call of ``function``; None for other errors.

    It has no location.
    """
    counted = re.match(r"'(\w+)' object cannot be interpreted as an integer", said)
    if counted is not None and function is range and _public_class(counted[1]) is None:
        return python.no_count(counted[1])
    shape = re.match(r"unsupported operand type\(s\) for (\S+): 'Shape' and '(int|float)'", said)
    return python.shape_as_number(shape[1]) if shape is not None else None


def _wrong_name(raised: AttributeError) -> Diagnostic | None:
    public = next((kind for kind in _CLASSES if isinstance(raised.obj, kind) or raised.obj is kind), None)
    name = raised.name
    if public is None or name is None:
        # For an assignment, Python 3.11 has the names in the text only.
        said = re.search(
            r"'(\w+)' object has no attribute '(\w+)'|'(\w+)' of '(\w+)' object has no", str(raised)
        )
        if said is None:
            return None
        public, name = _public_class(said[1] or said[4]), said[2] or said[3]
    if public is None:
        return None
    what = _WORDS[public]
    names = control.public_names(public)
    if name in names:
        return error("TTL0224", f"{name} of {what} cannot be set", help="it is there to be read")
    remedy: Remedy | None = None
    if public is DataflowBuffer and name in dir(Block):
        acquire = "reserve" if name in ("store", "push") else "wait"
        advice = f"acquire a block first: with dfb.{acquire}() as blk:, then use blk.{name}"
        remedy = (
            AcquireBlock(description=f"use a block of {acquire}()", name="", acquire=acquire)
            if name == "store"
            else None
        )
    elif public in (Block, BlockExpr) and (function := _function_for(name)):
        advice = f"a function does that: {function}"
        remedy = (
            MethodAsFunction(function=function.removesuffix("(blk)")) if function.endswith("(blk)") else None
        )
    else:
        slip = spelling.meant(name, names)
        near = [slip] if slip else difflib.get_close_matches(name, names, n=1)
        advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}" if names else ""
        remedy = None if slip is None else Rename(older=name, current=slip)
    return error("TTL0224", f"{what} has no attribute {name}", help=advice or ()).remedied_by(remedy)


def not_imported(raised: ImportError) -> Diagnostic | None:
    """The finding about ``from ttl import name`` for a name that the module does not have; None for other errors.

    It has no location.
    """
    said = re.match(r"cannot import name '(\w+)' from '(ttl(?:\.math|\.block)?)'", str(raised))
    if said is None:
        return None
    try:
        getattr(sys.modules[said[2]], said[1])
    except MissingNameError as missing:
        return replace(missing.diagnostics[0], primary=None)
    return None


def _function_for(name: str) -> str | None:
    """The call that corresponds to a method of other libraries' arrays: ``x.T``, ``x.exp()``, ``x.sum(-1)``."""
    known = _METHODS.get(name, name)
    row = next((row for row in OPS if row.name == known and row.namespace in ("math", "block")), None)
    if row is None:
        return None
    required = sum(param.default is ... for param in row.params)
    others = ", ..." if len(row.operands) + required > 1 else ""
    return f"{row.label}(blk{others})"


# The names of the language's functions, by their names in NumPy and torch.
_METHODS = {
    **SAME, "T": "transpose", "mT": "transpose", "t": "transpose", "max": "reduce_max", "to": "typecast",
    "type": "typecast", "masked_fill": "where",
}  # fmt: skip
_ARRAYS = "is not data of NumPy or torch"
_FORMS: tuple[tuple[str, str], ...] = (
    (r"has no len\(\)", "has no length"),
    (r"item assignment", "has no parts to assign to"),
    (r"not subscriptable|item assignment|item deletion", "cannot be indexed"),
    (r"iterable|cannot unpack|must support iteration", "cannot be iterated over"),
    (r"context manager protocol|__enter__", "cannot be used in a with statement"),
    (r"not callable", "is not a function to call"),
    (r"ufuncs|must be Tensor|array|infer dtype", _ARRAYS),
    (r"unsupported operand|bad operand|not supported between", "is not an operand"),
    (r"format string", "cannot be formatted like a number"),
    (r"real number|__round__|float\(\)|int\(\)|an integer|complex\(\)|must be (int|float|number)", "is not a Python number"),
)  # fmt: skip


def _wrong_use(said: str, names: Mapping[str, Any]) -> Diagnostic | None:
    if said == "'Tensor' object does not support item assignment":
        return item_assigned()
    words = [word for word in re.findall(r"\w+", said) if not isinstance(names.get(word), type)]
    public = next((kind for word in words if (kind := _public_class(word)) is not None), None)
    if public is None:
        return None
    what = _WORDS[public]
    form = next((text for pattern, text in _FORMS if re.search(pattern, said)), "")
    said = re.sub(r"<([\w.]+) object at 0x[0-9a-f]+>", r"\1", said)
    for private, known in _private_names():
        said = re.sub(rf"'?(\bttl\.[\w.]+\.)?\b{private}\b'?", _WORDS[known], said)
    said = re.sub(r"\bttl\.(?:lang|sim|host)(?:\.\w+)*\.(\w+\(\))", r"\1", said).splitlines()[0].rstrip(".:")
    if form:
        return _not_this(public, form)
    message = f"{what} used where Python expects something else: {said}"
    return error("TTL0225", message, help=_advice(public, form) or ())


@cache
def _functions_of_blocks() -> tuple[tuple[str, str], ...]:
    """The functions of math, NumPy and torch that have the same name here as functions of one block."""
    rows = (row for row in OPS if row.namespace == "math" and len(row.operands) == 1)
    return tuple(
        (row.name, row.label) for row in rows if all(param.default is not ... for param in row.params)
    )


def _not_this(public: type, form: str) -> Diagnostic:
    """Return the error for an object of this package where Python, or a library, needs an object of another kind."""
    return error("TTL0225", f"{_WORDS[public]} {form}", help=_advice(public, form) or ()).remedied_by(
        CalleeByName(description="call the function of the language", names=_functions_of_blocks())
        if public in (Block, BlockExpr)
        else None
    )


_USES: dict[type, str] = {
    DataflowBuffer: "acquire a block: with dfb.reserve() as blk: to write one, with dfb.wait() as blk: to read one",
    TensorSlice: "a tensor slice is one end of a copy: ttl.copy(a[row, column], blk)",
    Transfer: "wait for the transfer with xf.wait(), then use the block",
    GroupTransfer: "add transfers with group.add(xf), wait for all of them with group.wait_all()",
    SrcPipeIdentity: "a pipe is one end of a copy: ttl.copy(blk, pipe)",
    DstPipeIdentity: "a pipe is one end of a copy: ttl.copy(pipe, blk)",
    Pipe: "put pipes into a net, ttl.PipeNet([...]), and use them in net.if_src and net.if_dst",
    PipeNet: "net.if_src(function) and net.if_dst(function) call the function with each pipe of this node",
    Semaphore: "wait for its value with wait_ge or wait_eq, change it with set or with get_remote(node).inc",
    UnicastRemoteSemaphore: "change its value with set or inc",
    MulticastRemoteSemaphore: "change its value with set",
    KernelFunction: "every node starts its kernels itself; code that kernels share goes into a plain function",
    Operation: "an operation is called with its tensors, on the host",
    signpost: 'write with ttl.signpost("name"):',
}  # fmt: skip


def _advice(public: type, form: str) -> str:
    if public in _USES:
        return _USES[public]
    match form:
        case "has no length":
            return "its extents are in blk.shape: blk.shape[0] rows of tiles, or elements in row-major layout"
        case "has no parts to assign to":
            return "write the whole block: blk.store(...)"
        case "cannot be iterated over":
            return (
                "a block is used whole: ttl.math.reduce_sum(blk, ...) adds its elements, ttl.math.reduce_max finds the largest; "
                "for a part, copy a smaller slice of the tensor into a smaller block"
            )
        case "is not a Python number":
            return (
                "compute with operators and ttl.math functions; they work on whole blocks: ttl.math.exp(blk), "
                "ttl.math.round(blk), ttl.math.typecast(blk, ttnn.int32)"
            )
        case "cannot be indexed":
            return (
                "a block is used whole; for a part, copy a smaller slice of the tensor into a smaller block"
            )
        case "is not an operand":
            return (
                "blocks have + - * / // % ** @ and comparisons, which give 1 or 0: write x * y for `and`, "
                "ttl.math.max(x, y) for `or`, 1 - x for `not`"
            )
        case "cannot be formatted like a number":
            return 'print the whole block: print(blk), or f"{blk}" without a format'
        case "cannot be used in a with statement":
            return "with takes what reserve() and wait() return; an expression is stored: blk.store(...)"
        case _:
            return (
                "compute with operators and ttl.math functions; they work on whole blocks: ttl.math.exp(blk)"
            )


def _users_entry(trace: TracebackType | None) -> TracebackType | None:
    """The innermost entry of the user's code, if the error was raised there or in a library called from there."""
    traceback_type = None
    while trace is not None:
        family = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if is_ours(trace.tb_frame.f_code):
            traceback_type = None
        elif family not in _LIBRARIES and not is_library_file(trace.tb_frame.f_code.co_filename):
            traceback_type = trace
        trace = trace.tb_next
    return traceback_type


def _place(frame: FrameType, site: Site) -> Span:
    """Return the span of a site; for a statement with a body, only of the part of its head that is wrong."""
    span = span_of_site(site)
    if span.line == span.end_line:
        return span
    for item, place in with_items(site):
        if isinstance(_value(item, frame), (*_CLASSES,)) and not hasattr(_value(item, frame), "__enter__"):
            return place
    head = len((line(span.file, span.line) or "").rstrip())
    return replace(span, end_line=span.line, end_column=max(head, span.column) + 1)


def _raised_by_the_user(entry: TracebackType) -> bool:
    """Whether the error comes from a raise statement of the program."""
    code = entry.tb_frame.f_code.co_code
    return entry.tb_next is None and dis.opname[code[entry.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")


def _called(frame: FrameType, site: Site, said: str) -> Callable[..., Any] | None:
    """Return the function of this package that the call at a site calls; None for a function of another package."""
    call = call_at(site)
    kind = None if call is None else _value(call.func, frame)
    if kind is None:
        owner, _, name = said.partition("(")[0].rpartition(".")
        return getattr(_public_class(owner), name, None)
    if isinstance(kind, type) and kind in _CLASSES:
        return kind
    kind = control.python_of(kind)
    code = getattr(inspect.unwrap(kind), "__code__", None) if callable(kind) else None
    return kind if code is not None and is_ours(code) else None


def _value(node: ast.expr, frame: FrameType) -> Any:
    """Return the value of a name in a frame, or of an attribute of a module or of an object of ours; else None."""
    match node:
        case ast.Name(id=name):
            return frame.f_locals.get(name, frame.f_globals.get(name))
        case ast.Attribute(value=inner, attr=name):
            owner = _value(inner, frame)
            if isinstance(owner, (ModuleType, *_CLASSES)):
                return getattr(owner, name, None)
    return None


def _private_names() -> Iterator[tuple[str, type]]:
    for public in _CLASSES:
        for subclass in _with_subclasses(public):
            yield subclass.__name__, public


def _public_class(name: str) -> type | None:
    return next((public for private, public in _private_names() if private == name and name != "Pipe"), None)


def _with_subclasses(of: type) -> Iterator[type]:
    yield of
    below: list[type] = of.__subclasses__()
    for kind in below:
        yield from _with_subclasses(kind)


def not_an_array(values: Iterable[Any]) -> Diagnostic | None:
    """Return the finding about an object of this package passed to a function of NumPy or torch, or None.

    It has no location.
    """
    given = next((kind for value in values for kind in _CLASSES if isinstance(value, kind)), None)
    return None if given is None else _not_this(given, _ARRAYS)


def without_a_frame(raised: BaseException, function: Any) -> Diagnostic | None:
    """Return the diagnostic of ``explained`` for an error without a user's frame, because the source was read, not run.

    It has no location. ``function`` is the function that was called or applied.
    """
    if isinstance(raised, AttributeError):
        return _wrong_name(raised)
    if not isinstance(raised, TypeError):
        return None
    said = str(raised)
    plain = wrong_python(said, function)
    if plain is not None:
        return plain
    if _WRONG_CALL.match(said):
        known = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
        return wrong_call(control.python_of(function), said) if known.startswith("ttl") else None
    return _wrong_use(said, {})
