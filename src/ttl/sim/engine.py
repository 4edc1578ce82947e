"""One launch: which kernel runs, and what it may do.

The engine is the ``Execution`` behind the language while an operation runs. It knows the current kernel, builds
expressions, starts copies and hands everything that is not control flow to its parts: ``memory`` (tensors),
``executor`` (arithmetic), ``scheduler`` (who runs next), ``pipes`` and ``semaphores``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NoReturn

from ttl.diag import Diagnostic, ProgramError, error
from ttl.host.tensor import Tensor
from ttl.lang.check import describe
from ttl.lang.context import KernelKind
from ttl.lang.functions import foreign_operand
from ttl.lang.pipe import PipeNet
from ttl.ops.dtypes import WHOLE_NUMBER
from ttl.ops.row import Op, Params
from ttl.ops.table import op as op_named
from ttl.ops.types import BlockType, Layout, describe_shape
from ttl.protocol.blocks import STEPS, Step
from ttl.protocol.grid import coordinate
from ttl.sim import resources, show
from ttl.sim.buffer import SimBlock, SimBuffer
from ttl.sim.errors import used_after_the_end
from ttl.sim.kernel import Kernel, Node
from ttl.sim.memory import Memory, SimSlice
from ttl.sim.naming import operand_note
from ttl.sim.pipes import PipeNetView, PipeReceive, Pipes, SimDstPipe, SimSrcPipe
from ttl.sim.scheduler import Scheduler
from ttl.sim.semaphores import Semaphores, SemaphoreView
from ttl.sim.transfer import SimTransfer
from ttl.sim.values import Expr, Value
from ttl.source.spans import PACKAGE_FOLDER, Site, span_of_site, user_site

if TYPE_CHECKING:
    from ttl.arch.chip import Chip
    from ttl.settings import Settings
    from ttl.sim.executor import Executor

_COPY_IN, _COPY_OUT, _READ = int(Step.COPY_IN), int(Step.COPY_OUT), int(Step.READ)
# An expression larger than this is computed in parts, so that memory and time per step stay flat.
_LARGEST_EXPRESSION = 256
# An expression of this size that is used again is computed once, by itself, for all its uses.
_SHARED_EXPRESSION = 8
# Pending work that triggers a flush: writes, operations, bytes of results. Few enough to stay in the cache.
_PENDING_WRITES = 1024
_PENDING_OPERATIONS = 1024
_PENDING_BYTES = 64 << 20
_ADD, _MUL, _TYPECAST = op_named("add"), op_named("mul"), op_named("typecast")


class Engine:
    """State of one launch."""

    def __init__(self, grid: tuple[int, ...], settings: Settings, chip: Chip, executor: Executor) -> None:
        self.grid = grid
        # Index on the mesh of the device the launch is for, when it runs once per device.
        self.device: int | None = None
        self.settings = settings
        self.chip = chip
        self.executor = executor
        self.memory = Memory(self)
        self.pipes = Pipes(self)
        self.semaphores = Semaphores(self)
        self.scheduler = Scheduler(self)
        self.suspend = self.scheduler.suspend
        self.wake = self.scheduler.wake
        count = 1
        for extent in grid:
            count *= extent
        self.nodes = [Node(index, coordinate(index, grid, len(grid))) for index in range(count)]
        self.current: Kernel = self.nodes[0].body
        self.active = True
        # A seed also lets other kernels go first before a copy and after a change of a semaphore.
        self.interleaved = False
        # Where an error belongs that is found when no user code is running (at the end of a kernel, say).
        self.fallback_site: Site | None = None
        self.failed_in = ""
        self.unused: dict[Site, int] = {}
        self._pending: list[Value] = []
        self._pending_operations = 0
        self._pending_bytes = 0
        self._flushing = False
        # Called after each flush: how long launches show their progress.
        self.on_flush: Callable[[], None] | None = None

    def close(self) -> None:
        """Take the launch apart, so that it is freed at once and not by a search for cycles.

        What a user may still hold of it, a block say, keeps what its error message needs.
        """
        del self.suspend, self.wake
        for node in self.nodes:
            for buffer in node.buffers:
                buffer.producer = buffer.consumer = buffer.last_reserved = buffer.last_waited = None
                del buffer.wait_for_space, buffer.wait_for_data
            del node.body
            node.kernels.clear()
            node.buffers.clear()
            node.nets.clear()
        self.nodes.clear()
        self.pipes.close()

    # --- the Execution protocol -------------------------------------------------------------------------

    @property
    def node_index(self) -> int:
        """Linear index of the current node."""
        return self.current.node.index

    def in_kernel(self) -> bool:
        """Whether a kernel is running."""
        return self.current.is_kernel

    def add_kernel(self, function: Callable[[], None], kind: KernelKind) -> None:
        """Register a kernel on the current node."""
        node = self.current.node
        name = getattr(function, "__name__", "kernel")
        self._require_body(f"kernel {name} defined")
        for other in node.kernels:
            if other.name == name:
                self.fail(
                    error(
                        "TTL0204",
                        f"two kernels of the operation are named {name}",
                        notes=("messages, profiles and generated code tell kernels apart by name",),
                        help="give each kernel function a name of its own",
                    ),
                    related=((_definition(other.function), "the first one is defined here"),),
                )
        limit = 1 if kind == "compute" else 2
        same = [other for other in node.kernels if other.kind == kind]
        if len(same) >= limit:
            allowed = "one compute kernel" if kind == "compute" else "two data movement kernels"
            self.fail(
                error(
                    "TTL0205",
                    f"{kind} kernel {name} is one too many: an operation has at most {allowed}",
                    notes=(f"already defined: {', '.join(other.name for other in same)}",),
                    help="merge the kernels; a node has one math engine and two data movement processors",
                )
            )
        node.kernels.append(Kernel(node, name, kind, function))

    def make_buffer(self, likeness: Tensor, shape: tuple[int, ...], block_count: int) -> SimBuffer:
        """Create a dataflow buffer on the current node."""
        self._require_body("dataflow buffer made")
        node = self.current.node
        type = BlockType.of(shape, likeness.dtype, likeness.layout)
        buffer = SimBuffer(self, node, len(node.buffers), type, block_count, user_site(sys._getframe(2)))
        node.buffers.append(buffer)
        return buffer

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Expr:
        """Build an expression; its operands are read now."""
        kernel = self.current
        if not kernel.is_compute:
            self._refuse_arithmetic(op, operands)
        args: list[Any] = []
        types: list[Any] = []
        size = 1
        reads = partial = False
        typed = True  # no numbers among the operands: 1 and 1.0 are equal as keys, and differ in type
        for operand in operands:
            kind = type(operand)
            if kind is Expr:
                reads = reads or operand.reads
                value = operand.value
                if value is None and operand.size >= (_SHARED_EXPRESSION if operand.used else _LARGEST_EXPRESSION):
                    value = self._fold(operand)
                operand.used = True
                if value is None:
                    size += operand.size
                else:
                    operand = value
                    size += 1
            elif kind is SimBlock:
                state = operand.table[operand.state * STEPS + _READ]
                if state < 0 or operand.kernel is not kernel:
                    operand.illegal(Step.READ)
                operand.state = state
                operand = operand.value
                reads = True
            else:
                number = self._number(op, len(args), operand)
                args.append(number)
                types.append(number)
                typed = False
                continue
            args.append(operand)
            types.append(operand.type)
            if operand.valid is not None:
                partial = True
        key = (tuple(types), params)
        result = op._types.get(key) if typed else None
        if type(result) is not BlockType:
            inferred = op.infer(*key)
            if isinstance(inferred, Diagnostic):
                self.fail(inferred.noting(*operand_note(op, types, user_site(sys._getframe(1)))))
            result = inferred
        valid = None
        if partial:
            valid = op.valid_rule([getattr(arg, "valid", None) for arg in args], params, result)
        frame = sys._getframe(3)
        while frame.f_code.co_filename.startswith(PACKAGE_FOLDER) and frame.f_back is not None:
            frame = frame.f_back
        return Expr(self, op, args, params, result, valid, size, reads, (frame.f_code, frame.f_lasti))

    def copy(self, src: Any, dst: Any) -> SimTransfer:
        """Start a copy."""
        kernel = self.current
        if kernel.is_compute or not kernel.is_kernel:
            self._refuse_copy(kernel)
        if self.interleaved:
            self.scheduler.pause(kernel)
        frame = sys._getframe(2)
        site = (frame.f_code, frame.f_lasti)
        src_kind, dst_kind = type(src), type(dst)
        if src_kind is SimSlice and dst_kind is SimBlock:
            type_ = dst.buffer.type
            if src.type is not type_:
                self._match(src, dst, "into")
            state = dst.table[dst.state * STEPS + _COPY_IN]
            if state < 0 or dst.kernel is not kernel:
                state = dst.after_transfers(Step.COPY_IN)
            dst.state = state
            dst.value = self.memory.read(src, type_)
            transfer = SimTransfer(dst, True, site)
        elif src_kind is SimBlock and dst_kind is SimSlice:
            type_ = src.buffer.type
            if dst.type is not type_:
                self._match(dst, src, "from")
            value = self._begin_copy_out(src, kernel)
            self.memory.write(value, dst, len(type_.shape))
            if len(self.memory.writes) > _PENDING_WRITES:
                self.flush()
            transfer = SimTransfer(src, False, site)
        elif src_kind is SimBlock and dst_kind is SimSrcPipe:
            dst.require_active(self)
            value = self._begin_copy_out(src, kernel)
            transfer = dst.send(src, value, site)
        elif src_kind is SimDstPipe and dst_kind is SimBlock:
            src.require_active(self)
            self._begin_copy_in(dst, kernel)
            transfer = PipeReceive(dst, src, site)
        else:
            self._refuse_ends(src, dst)
        return transfer

    def pipe_net(self, net: PipeNet[Any]) -> PipeNetView:
        """State of a pipe net on the current node."""
        return self.pipes.view(net)

    def register_net(self, net: PipeNet[Any]) -> None:
        """A net was constructed on the current node."""
        self._require_body("pipe net made")
        self.pipes.register(net)

    def new_semaphore(self, initial: int) -> SemaphoreView:
        """Create the next semaphore of the current node."""
        self._require_body("semaphore made")
        return self.semaphores.create(initial)

    def signpost(self, name: str, enter: bool) -> None:
        """Keep the stack of signposts; the simulator does not time them."""
        if enter:
            self.current.signposts.append(name)
        elif self.current.signposts:
            self.current.signposts.pop()

    # --- values -----------------------------------------------------------------------------------------

    def add(self, block: SimBlock, other: Any) -> Expr:
        """``block + other``, for ``+=``."""
        return self.apply(_ADD, (block, other), ())

    def evaluated(self, expr: Any, target: SimBlock) -> Value:
        """The value that storing ``expr`` into a block puts there; checks type and shape."""
        type_ = target.buffer.type
        kind = type(expr)
        if kind is Expr:
            if expr.type is not type_:
                self._match_store(expr.type, target)
            if expr.value is None and expr.used and expr.size >= _SHARED_EXPRESSION:
                self._fold(expr)
            expr.used = True
            if expr.value is not None:
                return self._converted(expr.value, type_)
            value = Value(type_, expr.valid, None, expr)
            self._pending.append(value)
            self._pending_operations += expr.size
            self._pending_bytes += type_.nbytes
            if self._pending_operations > _PENDING_OPERATIONS or self._pending_bytes > _PENDING_BYTES:
                self.flush()
            return value
        if kind is SimBlock:
            if expr.kernel is not target.kernel:
                expr.illegal(Step.READ)
            stored: Value = expr.read()
            if stored.type is type_:
                return stored
            self._match_store(stored.type, target)
            return self._converted(stored, type_)
        self.fail(
            error(
                "TTL0330",
                f"store takes a block expression, not {describe(expr)}",
                help=f"to fill a block with a number: blk.store(ttl.block.fill({expr}, shape={type_.shape}))"
                if isinstance(expr, int | float)
                else "build the value from blocks with operators and ttl.math functions",
            )
        )

    def flush(self) -> None:
        """Compute everything pending and carry out all writes to tensors."""
        if self._flushing:
            return
        self._flushing = True
        try:
            pending, self._pending = self._pending, []
            self._pending_operations = self._pending_bytes = 0
            if pending:
                self.executor.run(pending, self.memory)
            self.memory.commit()
        finally:
            self._flushing = False
        if self.on_flush is not None:
            self.on_flush()

    def array_of(self, value: Value) -> Any:
        """Data of a value in element shape, in arithmetic type; flushes."""
        if value.array is None:
            self.flush()
        return self.executor.load(value, self.memory)

    def _record(self, value: Value, operations: int) -> None:
        self._pending.append(value)
        self._pending_operations += operations
        self._pending_bytes += value.type.nbytes
        if self._pending_operations > _PENDING_OPERATIONS or self._pending_bytes > _PENDING_BYTES:
            self.flush()

    def _fold(self, expr: Expr) -> Value:
        """Make a large expression a value of its own, unrounded."""
        value = expr.value = Value(expr.type, expr.valid, None, expr, exact=True)
        self._record(value, expr.size)
        return value

    def _converted(self, value: Value, type_: BlockType) -> Value:
        """A value in another element type; rounded, if it was not yet."""
        args: list[Any] = [value]
        op, params = _TYPECAST, (type_.dtype,)
        if self.settings.precision == "fp32" and type_.dtype.is_float and value.type.dtype.is_float:
            op, params, args = _MUL, (), [value, 1]  # changes the type and no element
        expr = Expr(self, op, args, params, type_, value.valid, 1, False, None)
        converted = Value(type_, value.valid, None, expr)
        self._record(converted, 1)
        return converted

    def unused_expression(self, expr: Expr) -> None:
        """An expression that read blocks went away without reaching a store."""
        if self.active and expr.site is not None:
            self.unused[expr.site] = self.unused.get(expr.site, 0) + 1

    # --- copies -----------------------------------------------------------------------------------------

    def _begin_copy_in(self, block: SimBlock, kernel: Kernel) -> None:
        state = block.table[block.state * STEPS + _COPY_IN]
        if block.kernel is not kernel or state < 0:
            state = block.after_transfers(Step.COPY_IN)
        block.state = state

    def _begin_copy_out(self, block: SimBlock, kernel: Kernel) -> Value:
        state = block.table[block.state * STEPS + _COPY_OUT]
        if block.kernel is not kernel or state < 0:
            state = block.after_transfers(Step.COPY_OUT)
        block.state = state
        value = block.value
        assert value is not None
        return value

    def _match(self, part: SimSlice, block: SimBlock, direction: str) -> None:
        """Accept a slice whose integer indices drop dimensions the block has not got; else report."""
        storage, type_ = part.storage, block.buffer.type
        name = block.buffer.name
        if storage.layout is not type_.layout:
            self.fail(
                error(
                    "TTL0510",
                    f"copy between a tensor in {_layout(storage.layout)} layout and a block of {name} in {_layout(type_.layout)} layout",
                    help="make the buffer in the likeness of a tensor with the same layout, or convert with ttnn.to_layout",
                ),
                related=((block.buffer.site, "the buffer is made here"),),
            )
        if storage.dtype is not type_.dtype:
            self.fail(
                error(
                    "TTL0514",
                    f"copy between a tensor of {storage.dtype.name} and a block of {name} of {type_.dtype.name}",
                    notes=("a copy moves bytes, it does not convert",),
                    help=f"make {name} in the likeness of this tensor; the compute kernel converts, when it stores",
                ),
                related=((block.buffer.site, "the buffer is made here"),),
            )
        extents = list(part.extents)
        surplus = len(extents) - len(type_.shape)
        for axis, single in enumerate(part.single):
            if surplus > 0 and single:
                extents.pop(axis - (len(part.single) - len(extents)))
                surplus -= 1
        if tuple(extents) == type_.shape:
            return
        src, dst = (
            (describe_shape(part.extents, storage.layout), type_.describe())
            if direction == "into"
            else (type_.describe(), describe_shape(part.extents, storage.layout))
        )
        first, second = (
            ("tensor slice", f"block of {name}")
            if direction == "into"
            else (f"block of {name}", "tensor slice")
        )
        self.fail(
            error(
                "TTL0515",
                f"copy from a {first} of {src} to a {second} of {dst}",
                help=f"take a slice of {type_.describe()}, or make {name} with shape={part.extents}",
            ),
            related=((block.buffer.site, "the buffer is made here"),),
        )

    # --- errors -----------------------------------------------------------------------------------------

    def fail(
        self, diagnostic: Diagnostic, label: str = "", related: tuple[tuple[Site | None, str], ...] = ()
    ) -> NoReturn:
        """Raise an error at the user's line, saying which kernel on which node."""
        site = user_site(sys._getframe(1)) if self.fallback_site is None else self.fallback_site
        raise ProgramError(self.located(diagnostic, site, label, related))

    def located(
        self,
        diagnostic: Diagnostic,
        site: Site | None,
        label: str = "",
        related: tuple[tuple[Site | None, str], ...] = (),
    ) -> Diagnostic:
        """A diagnostic with its place, the related places and the kernel that was running."""
        placed = diagnostic.at(span_of_site(site) if site is not None else None, label)
        for other, text in related:
            if other is not None:
                placed = placed.also(span_of_site(other), text)
        current = self.current
        told = self.active and (current.is_kernel or current.node.index)
        return placed.noting(f"in {current.where}") if told else placed

    def _require_body(self, what: str) -> None:
        if self.current.is_kernel:
            self.fail(
                error(
                    "TTL0211",
                    f"{what} inside kernel {self.current.name}",
                    notes=("kernels share what the operation's body creates, before any of them starts",),
                    help="move it into the body of the operation, outside the kernel functions",
                )
            )

    def _refuse_arithmetic(self, op: Op, operands: tuple[Any, ...]) -> NoReturn:
        kernel = self.current
        for operand in operands:
            if type(operand) is SimBlock:
                operand.illegal(Step.READ)
        if not self.active:
            self.fail(used_after_the_end("a block expression"))
        where = f"data movement kernel {kernel.name}" if kernel.is_kernel else "the operation's body"
        self.fail(
            error(
                "TTL0331",
                f"{op.spellings[0]} used in {where}",
                notes=("only the compute kernel has a math engine",),
                help="move the expression into the function decorated with @ttl.compute()",
            )
        )

    def _number(self, op: Op, position: int, operand: Any) -> int | float:
        """An operand that is a number, as a Python number; anything else is an error."""
        kind = type(operand)
        if kind is float or kind is int:
            return operand  # type: ignore[no-any-return]
        if isinstance(operand, Integral) and not isinstance(operand, bool):
            return int(operand)
        if isinstance(operand, Real) and not isinstance(operand, bool):
            return float(operand)
        self.fail(foreign_operand(op, op.operands[position].name, operand))

    def _refuse_copy(self, kernel: Kernel) -> NoReturn:
        where = f"compute kernel {kernel.name}" if kernel.is_kernel else "the operation's body"
        self.fail(
            error(
                "TTL0501",
                f"ttl.copy() in {where}",
                notes=("copies run on the data movement processors",),
                help="move it into a function decorated with @ttl.datamovement() and pass the block through a dataflow buffer",
            )
        )

    def _refuse_ends(self, src: Any, dst: Any) -> NoReturn:
        self.fail(
            error(
                "TTL0502",
                f"ttl.copy() from {_end(src)} to {_end(dst)}",
                notes=(
                    "the forms are: tensor slice to block, block to tensor slice, block to pipe, pipe to block",
                ),
                help=_copy_help(src, dst),
            )
        )

    def _match_store(self, given: BlockType, target: SimBlock) -> None:
        type_ = target.buffer.type
        name = target.buffer.name
        related = ((target.buffer.site, "the buffer is made here"),)
        if given.shape != type_.shape:
            self.fail(
                error(
                    "TTL0332",
                    f"store of an expression of {given.describe()} into a block of {name} of {type_.describe()}",
                    help=f"make {name} with shape={given.shape}, or change the shape of the expression "
                    "(ttl.block.broadcast, ttl.math.reduce_sum, ...)",
                ),
                related=related,
            )
        if given.layout is not type_.layout:
            self.fail(
                error(
                    "TTL0333",
                    f"store of an expression in {_layout(given.layout)} layout into a block of {name} in {_layout(type_.layout)} layout",
                    help="make the buffer in the likeness of a tensor with the operands' layout",
                ),
                related=related,
            )
        if given.dtype is WHOLE_NUMBER:
            return  # a block filled with a whole number has no type of its own yet
        if given.dtype.is_float is not type_.dtype.is_float:
            self.fail(
                error(
                    "TTL0334",
                    f"store of an expression of {given.dtype.name} into a block of {name} of {type_.dtype.name}",
                    notes=("floats and integers are converted only where the program says so",),
                    help=f"write blk.store(ttl.math.typecast(expr, ttnn.{type_.dtype.name}))",
                ),
                related=related,
            )

    # --- what users print ---------------------------------------------------------------------------------

    def show_block(self, block: SimBlock) -> str:
        """Content of a block, for print and pdb."""
        return show.block(self, block)

    def show_buffer(self, buffer: SimBuffer) -> str:
        """State of a buffer, for print and pdb."""
        return show.buffer(buffer)

    def show_expression(self, expr: Expr) -> str:
        """Value of an expression, for print and pdb."""
        return show.expression(self, expr)

    def check_resources(self, node: Node) -> None:
        """Whether what a node's body made fits the chip."""
        resources.check(self, node)


def _definition(function: Any) -> Site | None:
    code = getattr(function, "__code__", None)
    return (code, 0) if code is not None else None


def _layout(layout: Layout) -> str:
    return "tiled" if layout is Layout.TILE else "row-major"


def _end(end: Any) -> str:
    if isinstance(end, SimBlock):
        return "a block"
    if isinstance(end, SimSlice):
        return "a tensor slice"
    if isinstance(end, SimBuffer):
        return f"dataflow buffer {end.name}"
    if isinstance(end, Tensor):
        return "a whole tensor"
    if isinstance(end, SimSrcPipe | SimDstPipe):
        return "a pipe"
    if isinstance(end, Expr):
        return "a block expression"
    return describe(end)


def _copy_help(src: Any, dst: Any) -> str:
    if any(type(end).__module__.partition(".")[0] in ("torch", "numpy") for end in (src, dst)):
        return "make it a TT-NN tensor on the host, ttnn.from_torch(...), and pass that to the operation"
    if isinstance(src, SimBuffer) or isinstance(dst, SimBuffer):
        return "acquire a block first: with dfb.reserve() as blk: or with dfb.wait() as blk:"
    if isinstance(src, Tensor) or isinstance(dst, Tensor):
        return "slice the tensor: a[row, column] or a[r0:r1, c0:c1]"
    if isinstance(src, SimSrcPipe):
        return "receive in the function given to if_dst: its pipe is a source"
    if isinstance(dst, SimDstPipe):
        return "send in the function given to if_src: its pipe is a destination"
    if isinstance(src, SimBlock) and isinstance(dst, SimBlock):
        return "in a compute kernel write dst.store(src)"
    if isinstance(src, Expr):
        return "store the expression into a block in the compute kernel, then copy that block"
    return "one end is a block, the other a tensor slice or a pipe"
