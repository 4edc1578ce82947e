"""Kernels of an operation, and actions that only its body may take (specification, "Kernel functions")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ttl.diag import Diagnostic, error
from ttl.diag.families import Subject
from ttl.diag.remedies import (
    Append,
    DecorateKernel,
    DropArguments,
    DropStatement,
    NameOfDecorated,
    Parameters,
    WholeDivision,
)
from ttl.protocol.blocks import KernelKind
from ttl.rules.words import describe

Decorator = Literal["operation", "compute", "datamovement"]
SELECTOR = "TTL0270"
NOC = "TTL0271"


def no_function(decorator: Decorator, value: object) -> Diagnostic:
    """The error for a decorator on a value that is not a function (TTL0209)."""
    return error(
        "TTL0209",
        f"@ttl.{decorator}() decorates a function, not {describe(value)}",
        help=f"write @ttl.{decorator}() directly above a def, and no other decorator of ttl with it",
        subject=Subject.CODE,
    )


def has_parameters(name: str, parameters: Sequence[str]) -> Diagnostic:
    """The error for a kernel with parameters (TTL0210)."""
    return error(
        "TTL0210",
        f"kernel {name} has parameters ({', '.join(parameters)}), but a kernel takes no parameters",
        notes=("a kernel is not called: the node starts it",),
        help="use the operation's arguments and variables directly, a kernel is a closure",
        subject=Subject.CODE,
    ).remedied_by(Parameters(text=""))


def not_plain(what: str, cause: Literal["yield", "async"]) -> Diagnostic:
    """The error for ``what``, a ``kernel read`` or ``operation add``, with ``yield`` in it or ``async`` (TTL0227)."""
    word = "a generator" if cause == "yield" else "asynchronous"
    return error(
        "TTL0227",
        f"{what} is {word}, but it has to be a plain function",
        notes=(f"calling a function with {cause} in it does not run its body",),
        help=f"remove {cause}; kernels wait for one another through dataflow buffers, pipes and semaphores",
    )


def called(kind: KernelKind, name: str) -> Diagnostic:
    """The error for a kernel that the program calls (TTL0226)."""
    return error(
        "TTL0226",
        f"{kind} kernel {name} called like a function",
        notes=("every node starts its kernels itself, each on its own processor",),
        help=f"remove the call; to share code between kernels, put it in a function without a decorator "
        f"and call that one, or remove the decorator of {name}",
    ).remedied_by(DropStatement(description="remove the call"))


def not_a_kernel(value: object) -> Diagnostic:
    """The error for a value in ``ttl.Program(...)`` that is not a kernel (TTL0229)."""
    return error(
        "TTL0229",
        f"ttl.Program takes kernels, not {describe(value)}",
        help="decorate the kernels with @ttl.compute() and @ttl.datamovement() and drop ttl.Program",
    )


def no_kernel(operation: str) -> Diagnostic:
    """The error for an operation without kernels (TTL0203)."""
    return error(
        "TTL0203",
        f"operation {operation} defines no kernel",
        notes=("the body of an operation describes a node; the work is in its kernels",),
        help="define functions decorated with @ttl.compute() and @ttl.datamovement() in it",
        subject=Subject.CODE,
    )


def looks_like_kernel(name: str) -> Diagnostic:
    """The error for a function that looks like a kernel and is neither decorated nor called (TTL0219)."""
    return error(
        "TTL0219",
        f"function {name} looks like a kernel, but nothing uses it",
        notes=("it uses dataflow buffers or copies, is not decorated, and is never called",),
        help="decorate it with @ttl.compute() or @ttl.datamovement(), or remove it",
    ).remedied_by(DecorateKernel())


def numbered_name(name: str, number: int) -> str:
    """The name of the kernel with this number, from 1, among kernels with the same code and name, of one factory."""
    return name if number == 1 else f"{name}_{number}"


def same_name(name: str) -> Diagnostic:
    """The error for two kernels with one name and different code (TTL0204)."""
    return error(
        "TTL0204",
        f"two kernels of the operation are named {name}",
        notes=("messages, profiles and generated code tell kernels apart by name",),
        help="give each kernel function a name of its own",
    ).remedied_by(NameOfDecorated(name=f"{name}_2"))


def one_too_many(kind: KernelKind, name: str, same: Sequence[str]) -> Diagnostic | None:
    """The error for one kernel too many of its kind (TTL0205), or None. ``same`` has the names of existing kernels."""
    if len(same) < (1 if kind == "compute" else 2):
        return None
    allowed = "one compute kernel" if kind == "compute" else "two data movement kernels"
    return error(
        "TTL0205",
        f"{kind} kernel {name} is one too many: an operation has at most {allowed}",
        notes=(f"already defined: {', '.join(same)}",),
        help="merge the kernels; a node has one math engine and two data movement processors",
        subject=Subject.CODE,
    )


def no_selector(kernel: KernelKind, value: object, other: KernelKind | None) -> Diagnostic:
    """The error for ``kernel=`` of a decorator that names no kernel, or a kernel of the ``other`` kind (TTL0270)."""
    decorator, kind = kernel.replace(" ", ""), kernel.replace(" ", "_").upper()
    return error(
        SELECTOR,
        f"kernel= of @ttl.{decorator}() "
        + (f"is {describe(value)}" if other is None else f"names a {other} kernel"),
        notes=(
            f"it gives the kernel a name: a ttl.Kernel(ttl.KernelKind.{kind}), made outside of the operation",
        ),
        help=f"make one, K = ttl.Kernel(ttl.KernelKind.{kind}), and write kernel=K, or leave kernel= out",
    ).remedied_by(DropArguments(description="leave it out", names=("kernel",)))


def same_selector(name: str, other: str) -> Diagnostic:
    """The error for two kernels of an operation with the same ``ttl.Kernel`` (TTL0270)."""
    return error(
        SELECTOR,
        f"kernels {other} and {name} have the same ttl.Kernel",
        notes=("kernel= is used elsewhere to refer to one kernel",),
        help="make a ttl.Kernel for each of them",
    )


def selector_of_called(name: str) -> Diagnostic:
    """The error for ``kernel=`` of a kernel in an operation that is called (TTL0270)."""
    return error(
        SELECTOR,
        f"kernel {name} of an operation that is called has kernel=",
        notes=("kernels of called operations become parts of the calling operation's kernels",),
        help="leave kernel= out, or write the operation as one body",
    ).remedied_by(DropArguments(description="leave it out", names=("kernel",)))


def no_noc(value: object) -> Diagnostic:
    """The error for ``noc=`` of a data movement kernel that is neither 0 nor 1 (TTL0271)."""
    return error(
        NOC,
        f"noc= of @ttl.datamovement() is {describe(value)}",
        notes=("a node is on two networks, 0 and 1; which one a kernel uses is known before kernels run",),
        help="write noc=0, which is better for reading memory, or noc=1, better for writing it, or leave noc= out",
    ).remedied_by(DropArguments(description="leave it out", names=("noc",)))


def noc_varies(name: str, first: int, value: int) -> Diagnostic:
    """The error for a kernel that does not use the same network on all nodes (TTL0271)."""
    return error(
        NOC,
        f"noc= of kernel {name} is {first} on one node and {value} on another",
        notes=("one program is compiled for all nodes, and the network of a kernel is part of it",),
        help="give the kernel one network",
    )


def noc_of_called(name: str) -> Diagnostic:
    """The error for ``noc=`` of a kernel in an operation that is called (TTL0271)."""
    return error(
        NOC,
        f"kernel {name} of an operation that is called has noc=",
        notes=("kernels of called operations become parts of the calling operation's kernels",),
        help="leave noc= out, and choose with the compile option noc.KERNEL",
    ).remedied_by(DropArguments(description="leave it out", names=("noc",)))


def made_in_kernel(what: str, kernel: str) -> Diagnostic:
    """The error for an action in a kernel that only the body may take: ``dataflow buffer made``, say (TTL0211)."""
    return error(
        "TTL0211",
        f"{what} inside kernel {kernel}",
        notes=("kernels share what the operation's body creates, before any of them starts",),
        help="move it into the body of the operation, outside the kernel functions",
    )


def returned(what: str, value: object) -> Diagnostic:
    """The error for a kernel or operation that returns a value; ``what`` is a text like ``kernel read`` (TTL0206)."""
    return error(
        "TTL0206",
        f"{what} returned {describe(value)}, but it must return None",
        notes=("results leave an operation through its output tensors",),
        help="write into an output tensor with ttl.copy(blk, out[...]) and drop the return value",
    ).remedied_by(DropStatement(description="drop the return value"))


def uncalled(text: str) -> Diagnostic:
    """The error for ``blk.push`` without its parentheses, as a statement (TTL0233)."""
    return error(
        "TTL0233",
        f"{text} is named but not called",
        notes=("the name of a function as a statement has no effect",),
        help=f"write {text}()",
    ).remedied_by(Append(text="()"))


def no_static_range(name: str, value: object) -> Diagnostic:
    """The error for a bound or step of ``ttl.static_range`` that is not valid (TTL0246)."""
    what = "0" if value == 0 else describe(value)
    return error(
        "TTL0246",
        f"{name} of ttl.static_range is {what}",
        notes=("its loop is written out, iteration by iteration, before kernels run",),
        help="give it integers that are known before kernels run, or write range(...), whose loop stays a loop",
    ).remedied_by(WholeDivision(description="divide whole numbers") if isinstance(value, float) else None)
