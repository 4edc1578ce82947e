"""The findings about Python that is legal but cannot be compiled, or that always fails (TTL13xx)."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.families import Subject

COUNTED = ", and the number of iterations is known only on the node"
"""The end of a message about a loop that cannot be unrolled."""


def construct(what: str, *, notes: tuple[str, ...] = (), help: str = "") -> Diagnostic:
    """The error for a construct that kernels cannot have (TTL1301).

    ``what`` is the whole message except for its end.
    """
    return error("TTL1301", f"{what} cannot be compiled", notes=notes, help=help or (), subject=Subject.CODE)


_OUTSIDE = "compute its result outside the operation and use that"


def _not_called(what: str, why: str, help: str = _OUTSIDE) -> Diagnostic:
    return error("TTL1302", f"{what} cannot be compiled", notes=(why,), help=help, subject=Subject.CODE)


def call(name: str) -> Diagnostic:
    """The error for a call of a function that runs on the host only (TTL1302)."""
    return _not_called(
        f"a call of {name}",
        "kernels can call functions of the program, of ttl, and those of Python that compute with numbers and containers",
    )


def attribute_assigned() -> Diagnostic:
    """The error for an assignment to an attribute of an object that is already initialised (TTL1301)."""
    return construct(
        "assignment to an attribute",
        notes=("objects exist only while the program is compiled, for all nodes together",),
        help="use a variable, or make a new object with the value",
    )


def of_read_object(text: str, kind: str) -> Diagnostic:
    """The error for a Python operation on an object of a user's class that reading does not support (TTL1302)."""
    return _not_called(
        text, f"{kind} is read in the program's source; this needs the object or function itself"
    )


def change_of_host(name: str) -> Diagnostic:
    """The error for a call, in an operation, of a function that changes tensors or devices of the host (TTL1302)."""
    return _not_called(
        f"a call of {name}",
        "it changes data of the host, but an operation is compiled before it runs",
        "call it before or after the operation",
    )


def another_each_time(name: str) -> Diagnostic:
    """The error for a call of a function that returns a different result each time (TTL1302)."""
    return _not_called(
        f"a call of {name}",
        "two calls with the same arguments returned different results: it may differ between nodes",
    )


def overwritten(name: str) -> Diagnostic:
    """The error for a comprehension that, in CPython, would overwrite a variable of an enclosing function (TTL1301)."""
    return construct(
        f"a comprehension over {name}, which a function or generator in it reads, where {name} is also a variable of a function around",
        notes=(
            f"CPython 3.12 and later leave the last {name} of the comprehension in that variable, though the language keeps the two apart",
        ),
        help=f"give {name} another name in the comprehension",
    )


def fails(message: str) -> Diagnostic:
    """The error for an assertion or a raise that is reached whatever data the tensors contain (TTL1303)."""
    return error("TTL1303", message, subject=Subject.FAILURE)


def raises(exception: str, text: str = "", *, notes: tuple[str, ...] = (), help: str = "") -> Diagnostic:
    """The error for an exception of Python that is raised whatever data the tensors contain (TTL1304)."""
    message = f"this raises {exception}{': ' if text else ''}{text}"
    return error("TTL1304", message, notes=notes, help=help or (), subject=Subject.FAILURE)


def must_be_known(what: str) -> Diagnostic:
    """The error for a value that Python itself needs, but that is known on the node only (TTL1305)."""
    return error(
        "TTL1305",
        f"{what or 'a value'} is needed while the operation is compiled, but is known only on the node",
        notes=(
            "values that depend on ttl.node(), on a loop's number or on a pipe are computed when the kernel runs",
        ),
        help="derive it from shapes, ttl.grid_size() or constants; indices, conditions and loop bounds may depend on the node",
    )


def carried(name: str, what: str) -> Diagnostic:
    """The error for a value that no loop of the IR can carry, in a loop that cannot be unrolled (TTL1305).

    ``what`` is the kind of value.
    """
    if what == "None":
        message, advice = f"{name} is None in the first iteration but not in the next", _FIRST_APART
    else:
        message, advice = f"{name} takes {what} to the next iteration", _CARRIED.get(what, _FIRST_APART)
    return error(
        "TTL1305",
        f"{message}{COUNTED}",
        notes=(
            "integers, truth values and block expressions can go from one iteration of such a loop to the next",
        ),
        help=advice,
    )


def other_kind(name: str) -> Diagnostic:
    """The error for a variable whose kind differs after an iteration, in a loop that cannot be unrolled (TTL1305)."""
    return error(
        "TTL1305",
        f"{name} holds another kind of value after an iteration than before{COUNTED}",
        notes=(
            "a variable of such a loop keeps one kind of value: an integer, a truth value or a block expression",
        ),
        help="assign the same kind of value before the loop and in it",
    )


_FIRST_APART = "keep the values that change in numbers, or loop a known number of times; conditions in the loop may depend on the node"
_CARRIED = {
    "a transfer handle": "wait for the transfer in the iteration that starts it, or add it to a ttl.GroupTransfer() made before the loop",
    "a block": "acquire, use and release the block in one iteration",
}


def no_truth_value(label: str) -> Diagnostic:
    """The error for a truth value of a node as an operand (TTL1306)."""
    return error(
        "TTL1306",
        f"{label}: a number computed on the node can be an integer or a fraction here, not a truth value",
        help="write int(condition), or 1 if condition else 0",
    )


def may_be_a_fraction(label: str) -> Diagnostic:
    """The error for a number of a node that may be a fraction beside a block of integers (TTL1306)."""
    return error(
        "TTL1306",
        f"{label}: a number computed on the node with / or with floats may not be an integer, but the block has integers",
        help="compute it with integers: // for a division, or convert the block: ttl.math.typecast(x, ttnn.float32)",
    )


def no_arithmetic(text: str) -> Diagnostic:
    """The error for Python arithmetic with a number of the node that nodes do not support (TTL1306)."""
    what = f"{text} cannot" if len(text) <= _LONGEST else "this cannot"
    return error(
        "TTL1306",
        f"{what} be computed on the node",
        notes=(
            "integers support +, -, *, /, //, %, bits, shifts, comparisons, min, max, abs, divmod, and round, floor and ceil of a / b",
            "fractions support +, -, *, /, comparisons, round and int",
        ),
        help="compute it from constants, or with these operations",
    )


_LONGEST = 60


def not_on_node(what: str, instead: str) -> Diagnostic:
    """The error for an operation of Python that no node computes (TTL1306)."""
    return error("TTL1306", f"a kernel cannot compute {what}", help=instead)


def data_used_in_kernel() -> Diagnostic:
    """The error for the use of a tensor's data in a kernel (TTL1307)."""
    return error(
        "TTL1307",
        "the data of a tensor are used in a kernel without a block",
        notes=(
            "a kernel can only use the parts of a tensor that are copied into its blocks; functions of ttnn run on the host",
        ),
        help="copy a slice of the tensor into a block first, in a data movement kernel, and compute with the block",
    )


def data_used() -> Diagnostic:
    """The error for the use of a tensor's data in the operation's body (TTL1307)."""
    return error(
        "TTL1307",
        "the data of a tensor are used while the operation is compiled",
        notes=("kernels are compiled before tensors have data; only shapes and types are known",),
        help="pass the number as an argument of the operation, or copy the data into a block",
    )


def pipes_differ(message: str, help: str) -> Diagnostic:
    """The error for a coordinate of a pipe that has another form in other pipes of the net (TTL1308)."""
    return error("TTL1308", message, help=help)


def changed_on_a_node(kind: str, where: str, more: str = "") -> Diagnostic:
    """The error for a container that a kernel, or code that depends on the node, changes (TTL1310)."""
    return error(
        "TTL1310",
        f"a {kind} is changed {where}{more}",
        notes=(
            "lists, dictionaries and sets exist only while the program is compiled, for all nodes together",
        ),
        help="use variables that hold numbers or block expressions, or change it outside the condition",
    )


def used_up(kind: str, why: str) -> Diagnostic:
    """The error for an iterator if it is not known how many of its members were taken (TTL1310)."""
    return error(
        "TTL1310",
        f"the remaining members of this {kind} are not known: {why}",
        notes=("each member of an iterator is taken only once",),
        help="create it where it is used, or make a list of it where the iterator is created: list(...)",
    )


def does_something_when_taken() -> Diagnostic:
    """The error for an iterator with side effects, if the node decides how many members are taken (TTL1301)."""
    return construct(
        "an iterator with effects, of which the node decides how many members are taken,",
        notes=("its members are computed while the operation is compiled, for all nodes together",),
        help="make a list of it before, list(...) or [...], and loop over the list",
    )


def does_more_than_cache() -> Diagnostic:
    """The error for a function with cached results that has side effects (TTL1301)."""
    return construct(
        "a function with functools.cache or lru_cache that has effects",
        notes=("Python runs it for the first call only: on one node, and not on the others",),
        help="remove the cache: the function is evaluated while the operation is compiled",
    )


def not_known_here(name: str, reason: str) -> Diagnostic:
    """The error for a variable to which loops or branches leave no single value (TTL1311)."""
    return error(
        "TTL1311",
        f"the value of {name} is not known here: {reason}",
        notes=(
            "only integers, truth values and block expressions can pass through loops and branches that depend on the node",
        ),
        help="move its use into the branch or loop, or assign it on every path",
    )


def too_large(message: str, *, notes: tuple[str, ...] = (), help: str) -> Diagnostic:
    """The error for code that would be unrolled or inlined too often, or without end (TTL1312)."""
    return error("TTL1312", message, notes=notes, help=help)


def too_deep(most: int) -> Diagnostic:
    """The error for statements and expressions that are nested too deeply (TTL1312)."""
    return too_large(
        f"the code is nested more than {most} levels deep",
        notes=("each elif of a chain and each + of a sum is one level",),
        help="look a value up in a list or dictionary instead of a chain of conditions, and give the parts of a long "
        "expression names",
    )


def too_many_statements(most: int) -> Diagnostic:
    """The error for an operation with more statements than are read (TTL1312)."""
    return too_large(
        f"more than {most:,} statements when loops are unrolled and functions inlined",
        notes=("reading stopped there: the code after it was not checked",),
        help="loop over a range in a kernel and compute with its number, so that the loop need not be unrolled; "
        "compute long constant results outside the operation",
    )


def endless(most: int) -> Diagnostic:
    """The error for a ``while`` with too many iterations in the body of an operation, which runs once (TTL1312)."""
    return too_large(
        f"a while loop in the body of an operation has more than {most:,} iterations",
        notes=("the body of an operation is evaluated while it is compiled; kernels run on the nodes",),
        help="loop over a range, or move the loop into a kernel",
    )


def too_many_lines(most: int) -> Diagnostic:
    """The error for a function of a library that computes too long while a program is read (TTL1312)."""
    return too_large(
        f"a function of a library runs more than {most:,} lines of Python while the operation is compiled",
        help="compute its result outside the operation and use that",
    )


def too_many_members(name: str, most: int) -> Diagnostic:
    """The error for an iterator that yields too many members while a program is read (TTL1312)."""
    return too_large(
        f"more than {most:,} members of {name} are taken while the operation is compiled",
        help="take as many of them as are needed: itertools.islice, or zip with a range",
    )


def too_large_a_value(what: str) -> Diagnostic:
    """The error for a value that takes too long to compute, or too much memory (TTL1312)."""
    return too_large(
        f"{what} is made while the operation is compiled",
        help="make it outside the operation, or as a tensor",
    )


def on_some_nodes(what: str) -> Diagnostic:
    """The error for a kernel or resource under a condition of the node (TTL1313)."""
    return error(
        "TTL1313",
        f"{what} on some nodes only",
        notes=("an operation has the same kernels and resources on every node",),
        help="define it always, and put the condition into the kernels",
    )


def no_source(name: str) -> Diagnostic:
    """The error for a function whose source cannot be found (TTL1314)."""
    return error(
        "TTL1314",
        f"the source of {name} cannot be found",
        notes=("functions are compiled from their source",),
        help="define it in a file, or in a notebook cell, with def",
        subject=Subject.CODE,
    )
