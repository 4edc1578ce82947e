"""Pipes and pipe nets: their arguments, the places of their use, and their messages (specification, "Pipe").

The check whether coordinates are in the grid is in ``ttl.protocol.grid``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ttl.diag import Diagnostic, error, note, warning
from ttl.diag.remedies import Argument, Parameters, RemoveDuplicates, Wrap
from ttl.diag.words import counted
from ttl.protocol.blocks import KernelKind
from ttl.protocol.grid import Grid, coordinate, show_nodes
from ttl.rows.types import BlockType
from ttl.rules.slices import FRACTION
from ttl.rules.words import describe

Condition = Literal["if_src", "if_dst"]


def end_missing() -> Diagnostic:
    """The error for a pipe without a source or a destination (TTL0604)."""
    return error(
        "TTL0604",
        "a pipe needs a source and a destination",
        help="write ttl.Pipe(src=(x, y), dst=(x, slice(0, y_size)))",
    )


def no_pipe(value: object) -> Diagnostic:
    """The error for a pipe net of values that are not pipes (TTL0605)."""
    return error(
        "TTL0605",
        f"a pipe net must consist of pipes, not of {describe(value)}",
        help="write ttl.PipeNet([ttl.Pipe(src=..., dst=...) for ...])",
    )


def net_without_pipes() -> Diagnostic:
    """The warning for a pipe net without pipes (TTL0612)."""
    return warning(
        "TTL0612",
        "a pipe net without pipes: the functions given to its if_src and if_dst are never called",
        help="check how the list is made; make no net for a grid on which no node sends",
    )


def pipe_twice(src: object, dst: object) -> Diagnostic:
    """The warning for a net in which two pipes have the same source and destination (TTL0613)."""
    return warning(
        "TTL0613",
        f"{pipe_text(src, dst)} is in this net twice: if_src and if_dst call their functions once for each",
        help="list it once; a pipe carries as many messages as are sent on it, one after the other",
    ).remedied_by(RemoveDuplicates())


def one_pipe() -> Diagnostic:
    """The note for a net that is made of a single pipe instead of a list of pipes (TTL0620)."""
    return note(
        "TTL0620",
        "a pipe in place of a list is taken as a net of this one pipe",
    ).remedied_by(Wrap(template="[{}]", operand=0, description="write a list of one pipe"))


def match_ranks(src: object, dst: object, nodes: tuple[int, ...], grid: Grid) -> Diagnostic | None:
    """The note for ends of a pipe with different numbers of dimensions (TTL0621).

    ``nodes``: those that ``dst`` names.
    """
    ranks = [len(end) if isinstance(end, tuple | list) else 1 for end in (src, dst)]
    if ranks[0] == ranks[1]:
        return None
    first, last = (show_nodes(coordinate(node, grid, ranks[0])) for node in (nodes[0], nodes[-1]))
    where = f"node {first}" if len(nodes) == 1 else f"{len(nodes)} nodes, from {first} to {last}"
    return note(
        "TTL0621",
        f"src={show_nodes(src)} of a pipe counts nodes in {counted(ranks[0], 'dimension')}, "
        f"dst={show_nodes(dst)} in {counted(ranks[1], 'dimension')}: on the grid {show_nodes(grid)} "
        f"the destination is taken as {where}",
        help=f"write both in {counted(ranks[0], 'dimension')}, as ttl.node(dims={ranks[0]}) counts them",
    ).remedied_by(
        Argument(description="name the node in as many dimensions as the grid has", name="dst", value=first)
        if len(nodes) == 1
        else None
    )


def no_function(condition: Condition, value: object) -> Diagnostic:
    """The error for ``net.if_src`` with a value that cannot be called (TTL0606)."""
    return error(
        "TTL0606",
        f"{condition} takes a function of one argument, the pipe, not {describe(value)}",
        help=f"write def send(pipe): ... and net.{condition}(send)",
    )


def match_function(condition: Condition, name: str, required: int, *, takes_one: bool) -> Diagnostic | None:
    """The error for a function, possibly ``<lambda>``, that cannot be called with a pipe (TTL0609), or None.

    ``required`` is how many arguments must be passed by position; ``takes_one``: whether the function accepts one.
    """
    if required <= 1 and takes_one:
        return None
    return error(
        "TTL0609",
        f"the function given to {condition} takes {required} arguments, and it is called with one, the pipe",
        help="write lambda pipe: ..." if name == "<lambda>" else f"write def {name}(pipe):",
    ).remedied_by(Parameters(text="pipe", name=name) if name != "<lambda>" else None)


def net_differs() -> Diagnostic:
    """The error for a net that another node makes of different pipes (TTL0608)."""
    return error(
        "TTL0608",
        "this node's pipe net differs from the one another node made at the same place",
        notes=("a pipe net describes the whole grid, so every node must make the same one",),
        help="build the list of pipes from ttl.grid_size(), not from ttl.node()",
    )


def condition_outside(condition: Condition, kind: KernelKind | None, kernel: str) -> Diagnostic:
    """The error for ``if_src`` or ``if_dst`` that is not in a data movement kernel (TTL0610).

    ``kind`` is None in the operation's body.
    """
    return error(
        "TTL0610",
        f"PipeNet.{condition}() in {f'compute kernel {kernel}' if kind == 'compute' else 'the operation body'}",
        notes=("pipes connect data movement kernels",),
        help="call it in a data movement kernel; net.is_src() and net.is_dst() are allowed everywhere",
    )


def outside_its_function() -> Diagnostic:
    """The error for a copy with a pipe outside the function that got the pipe (TTL0607)."""
    return error(
        "TTL0607",
        "copy with a pipe outside the condition function that was called for it",
        notes=("the pipes of a node are known only inside if_src and if_dst",),
        help="move the ttl.copy into the function given to net.if_src or net.if_dst",
    )


def no_link(net: str, chips: Sequence[str], links: int, far: int, pairs: int, system: str) -> Diagnostic:
    """The warning for a net between neighbours with a pipe that crosses several links between chips (TTL0825)."""
    return warning(
        "TTL0825",
        f"no link joins {chips[0]} and {chips[1]} in {system}: messages of {net} go over {links} links there",
        notes=(
            f"{pairs - far} of the {pairs} pairs of chips of {net} are neighbours, and these links carry their messages, too",
        ),
        help="leave the wrap out, or choose a mesh whose ends are neighbours",
    )


def match_message(sent: BlockType, buffer: str, block: BlockType) -> Diagnostic | None:
    """Return an error if a message cannot be received into a block of ``buffer`` (TTL0611), or None."""
    if sent is block:
        return None
    return error(
        "TTL0611",
        f"pipe sends a block of {_described(sent)} and receives into a block of {buffer} of {_described(block)}",
        help="use the same shape, element type and layout at both ends of a pipe",
    )


def pipe_text(src: object, dst: object) -> str:
    """A pipe as a program writes it."""
    return f"ttl.Pipe(src={show_nodes(src)}, dst={show_nodes(dst)})"


def pipe_name(net: str, src: object, dst: object) -> str:
    """``ring's pipe from (0, 0) to (0, slice(1, 4))``, where ``net`` is the user's variable."""
    return f"{net}'s pipe from {show_nodes(src)} to {show_nodes(dst)}"


def _described(type: BlockType) -> str:
    return f"{type.describe()} of {type.dtype.name}"


# --- the first of several receives ------------------------------------------------------------------------------

WAIT_ANY = "ttl.wait_any()"
_RECEIVES = "the receives that ttl.copy(pipe, blk) returned: ttl.wait_any((left, right))"


_AS_TUPLE = Wrap(template="tuple({})", operand=0, description="write a tuple")


def match_requests(requests: object, is_receive: Sequence[bool]) -> Diagnostic | None:
    """The error for a value that is not a tuple of at least one receive (TTL0614), or None.

    ``is_receive`` says for each member of the tuple whether it is a receive.
    """
    if not isinstance(requests, tuple):
        return error(
            "TTL0614",
            f"{WAIT_ANY} takes a tuple of receives, not {describe(requests)}",
            help=f"give a tuple of {_RECEIVES}",
        ).remedied_by(_AS_TUPLE if isinstance(requests, list) else None)
    if not requests:
        return error("TTL0614", f"{WAIT_ANY} of no receives would wait forever", help=f"give {_RECEIVES}")
    for position, (member, receives) in enumerate(zip(requests, is_receive, strict=True)):
        if not receives:
            return error(
                "TTL0614",
                f"{WAIT_ANY} waits for receives, and member {position} is {describe(member)}",
                notes=("copies of tensors and sends are waited for one by one, or in a ttl.GroupTransfer",),
                help=f"give {_RECEIVES}",
            )
    return None


def bad_start(start: object) -> Diagnostic:
    """The error for a ``start`` that is not an integer (TTL0614)."""
    shown = "a fraction" if start is FRACTION else describe(start)
    return error(
        "TTL0614",
        f"{WAIT_ANY} starts at an integer index, not at {shown}",
        help="start counts the receives from 0, modulo how many there are: start=(index + 1) % 2; // divides integers",
    )


def handed_on(name: str, why: str) -> Diagnostic:
    """The error for a receive that cannot be followed to the wait for it, for the reason ``why`` (TTL0616)."""
    return error(
        "TTL0616",
        f"{name} holds a receive that cannot be followed to where it is waited for: {why}",
        notes=(
            "receives go through branches that depend on the node, and from one iteration to the next of a `for` loop "
            "that runs a number of times which is known before the kernel does, without `break` and `continue`",
        ),
        help="wait for the receive in the branch or iteration that starts it, or loop over a range of a known length",
    )


def match_distinct(receives: Sequence[tuple[object, object, str, object, str]]) -> Diagnostic | None:
    """The error for receives that cannot be distinguished (TTL0615), or None.

    Each is a tuple: the receive, its buffer, the buffer's name, its net, the net's name.
    """
    for later, (request, buffer, name, net, net_name) in enumerate(receives):
        for earlier, (other, its_buffer, _, its_net, _) in enumerate(receives[:later]):
            if request is other:
                same = f"members {earlier} and {later} of {WAIT_ANY} are the same receive"
                return error("TTL0615", same, help="list each receive once")
            both = f"receives {earlier} and {later} of {WAIT_ANY}"
            if buffer is its_buffer:
                return error(
                    "TTL0615",
                    f"{both} fill blocks of the same buffer, {name}",
                    notes=(
                        "its blocks are pushed in the order in which they were reserved, whichever is filled first",
                    ),
                    help="receive into a dataflow buffer of its own for each pipe",
                )
            if net is its_net:
                return error(
                    "TTL0615",
                    f"{both} are over the same net, {net_name}",
                    notes=("the chip distinguishes complete receives by their net",),
                    help="make a ttl.PipeNet for each pipe whose message may come first",
                )
    return None
