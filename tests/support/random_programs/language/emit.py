"""The TT-Lang text of a program, and what it shares with the other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from support.random_programs.language.spec import Inner, Instr, Port, Program, Shape
from ttl.rows.table import op as row_named

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "xor": "^", "matmul": "@",
}  # fmt: skip
# One step of a long chain: TT-Lang, and the same for the reference.
LOOPS = {
    "add": ("{t} + {a}", 'R.apply("add", {t}, {a})'),
    "step": ("ttl.math.max({t} - 1, {a})", 'R.apply("max", R.apply("sub", {t}, 1), {a})'),
    "flip": ("{a} - {t}", 'R.apply("sub", {a}, {t})'),
    "average": ("({t} + {a}) * 0.5", 'R.apply("mul", R.apply("add", {t}, {a}), 0.5)'),
    "blend": ("{t} * 0.5 + {a}", 'R.apply("add", R.apply("mul", {t}, 0.5), {a})'),
}
# One step of an accumulation over blocks a and b: what is added to or combined with the sum.
INNER = {
    "sum": ("{s} += {a}", 'R.apply("add", {s}, {a})'),
    "rest": ("{s} = {a} + {s}", 'R.apply("add", {a}, {s})'),
    "product": ("{s} += {a} * {b}", 'R.apply("add", {s}, R.apply("mul", {a}, {b}))'),
    "matmul": ("{s} += {a} @ {b}", 'R.apply("add", {s}, R.apply("matmul", {a}, {b}))'),
    "matmul_left": ("{s} = {a} @ {b} + {s}", 'R.apply("add", R.apply("matmul", {a}, {b}), {s})'),
    "max": ("{s} = ttl.math.max({s}, {a})", 'R.apply("max", {s}, {a})'),
}


class Lines:
    """Indented lines of a program."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def __call__(self, *texts: str) -> None:
        self._lines += ["    " * self._depth + text if text else "" for text in texts or [""]]

    @contextmanager
    def under(self, header: str) -> Iterator[None]:
        self(header)
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self("pass")
        self._depth -= 1

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


def live(program: Program) -> Program:
    """Without what no output depends on."""
    needed: set[str] = set()
    kept: list[Instr] = []
    for instr in reversed(program.body):
        if instr.kind in ("store", "iadd", "carry_out") or instr.name in needed:
            kept.append(instr)
            needed.update(arg for arg in instr.args if isinstance(arg, str))
    body = tuple(reversed(kept))
    outputs = {instr.target for instr in body if instr.kind == "store"}
    inputs = tuple(port for port in program.inputs if port.name in needed)
    inner = tuple(each for each in program.inner if each.name in needed)
    carried = any(instr.kind == "carry_out" for instr in body)
    ports = tuple(port for port in program.outputs if port.name in outputs)
    used = {port.tensor for port in (*inputs, *ports, *(port for each in inner for port in each.ports))}
    used |= {instr.target for instr in body if instr.kind == "through"} | {each.through for each in inner}
    echo = program.echo if program.echo in outputs else ""
    barrier = any(port.tensor == "scratch" for port in inputs)
    used |= {program.carry, "last"} if carried else set()
    used |= {"echo"} if echo else set()
    used |= {"source"} if barrier else set()
    tensors = [each for each in program.tensors if each.name in used]
    shared = {name for each in tensors for name in (each.same_as, each.overlaps)} - used
    tensors += [each for each in program.tensors if each.name in shared]
    return replace(
        program, body=body, inputs=inputs, inner=inner, outputs=ports, tensors=tuple(tensors),
        carry=program.carry if carried else "", barrier=barrier, echo=echo,
    )  # fmt: skip


def device_text(program: Program) -> str:
    """The operation, as a user would write it: the file defines ``op``."""
    return str(_Device(live(program)).lines)


def expression(instr: Instr, tiled: bool, variables: dict[str, str]) -> str:
    """TT-Lang text of an operation."""
    args = [variables.get(arg, arg) if isinstance(arg, str) else repr(arg) for arg in instr.args]
    params = dict(instr.params)
    if instr.op in _OPERATORS:
        return f"{args[0]} {_OPERATORS[instr.op]} {args[1]}"
    if instr.op == "pow":
        return f"{args[0]} ** {args[1]}"
    if instr.op == "neg":
        return f"-{args[0]}"
    texts = [*args]
    for name, value in params.items():
        texts.append(f"{name}=ttnn.{value}" if name == "dtype" else f"{name}={value!r}")
    if instr.op == "fill" and not tiled:
        texts.append("layout=ttnn.ROW_MAJOR_LAYOUT")
    return f"ttl.{row_named(instr.op).namespace}.{instr.op}({', '.join(texts)})"


def grid_lines(program: Program) -> Iterator[str]:
    """q0, q1, ...: where in the block grid an item is."""
    below = 1
    for axis in reversed(range(len(program.blocks))):
        extent = program.blocks[axis]
        yield f"q{axis} = item // {below} % {extent}"
        below *= extent


class _Device:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines = line = Lines()
        line("import ttl", "import ttnn", "", "", f"@ttl.operation(grid={program.grid})")
        names = [tensor.name for tensor in program.tensors]
        with line.under(f"def op({', '.join(names)}):"):
            line("x, y = ttl.node(dims=2)", "gx, gy = ttl.grid_size(dims=2)", "me = ttl.node(dims=1)")
            line("nodes = ttl.grid_size(dims=1)", f"items = list({program.items})")
            self._buffers()
            self._nets()
            if program.barrier:
                line("arrived, go = ttl.Semaphore(), ttl.Semaphore()")
                block = next(port.block for port in program.inputs if port.tensor == "scratch")
                self._buffer("moved", "source", block)
            for port in program.outputs:
                if port.name == program.echo:
                    self._buffer("echo", "echo", port.block)
            line()
            self._compute()
            self._movement("read")
            self._movement("write")

    def _ports(self) -> Iterator[Port]:
        for inner in self.program.inner:
            yield from inner.ports
        yield from self.program.inputs
        yield from self.program.outputs

    def _buffer(self, name: str, like: str, shape: Shape, count: int | None = None) -> None:
        more = "" if count is None else f", block_count={count}"
        self.lines(f"{name}_dfb = ttl.make_dataflow_buffer_like({like}, shape={shape}{more})")

    def _buffers(self) -> None:
        program = self.program
        for port in self._ports():
            self._buffer(port.name, port.tensor, port.block, port.block_count)
        for inner in program.inner:
            if inner.through:
                self._buffer(inner.name, inner.through, inner.shape)
        for instr in program.body:
            if instr.kind == "through":
                self._buffer(instr.name, instr.target, instr.shape, instr.count)
            if instr.kind == "carry_out":
                self._buffer("carry", program.carry, instr.shape, instr.count)
                self._buffer("last", "last", instr.shape)

    def _nets(self) -> None:
        line = self.lines
        for port in self._ports():
            first = 0 if port.loopback else 1
            pipes = {
                "row": f"src=(0, v), dst=(slice({first}, gx), v)) for v in range(gy)",
                "column": f"src=(u, 0), dst=(u, slice({first}, gy))) for u in range(gx)",
                "all": "src=(0, 0), dst=(slice(0, gx), slice(0, gy)))",
                "ring": "src=(n // gy, n % gy), dst=((n + 1) % nodes // gy, (n + 1) % nodes % gy)) for n in range(nodes)",
                "gather": "src=(u, v), dst=(slice(0, gx), v)) for u in range(gx) for v in range(gy)",
            }
            if port.delivery == "gather":
                self._buffer(f"{port.name}_own", port.tensor, port.block)
            if port.delivery != "direct":
                line(f"{port.name}_net = ttl.PipeNet([ttl.Pipe({pipes[port.delivery]}])")

    # --- compute ----------------------------------------------------------------------------------------

    def _compute(self) -> None:
        line, program = self.lines, self.program
        if not any((program.inputs, program.inner, program.outputs, program.carry)):
            return
        line("@ttl.compute()")
        with line.under("def compute():"):
            out = next((instr for instr in program.body if instr.kind == "carry_out"), None)
            if out is not None:
                with line.under("with carry_dfb.reserve() as first_blk:"):
                    line(f"first_blk.store({self._fill(out.shape)})")
            with line.under("for item in items:"):
                for inner in program.inner:
                    self._inner(inner)
                self._item()
            if out is not None:
                with line.under("with carry_dfb.wait() as kept_blk, last_dfb.reserve() as last_blk:"):
                    line("last_blk.store(kept_blk)")
        line()

    def _fill(self, shape: tuple[int, ...]) -> str:
        layout = "" if self.program.tiled else ", layout=ttnn.ROW_MAJOR_LAYOUT"
        return f"ttl.block.fill(0, shape={shape}{layout})"

    def _inner(self, inner: Inner) -> None:
        line, fill, buffer = self.lines, self._fill(inner.shape), f"{inner.name}_dfb"
        blocks = {letter: f"{port.name}_blk" for letter, port in zip("ab", inner.ports)}
        step = INNER[inner.form][0]
        acquired = ", ".join(f"{port.name}_dfb.wait() as {port.name}_blk" for port in inner.ports)

        def repeated(text: str, more: str = "") -> None:
            with line.under(f"for k in range({inner.steps}):"), line.under(f"with {acquired}{more}:"):
                line(text)

        if inner.turns:
            old, new = f"{inner.name}_old", f"{inner.name}_new"
            with line.under(f"with {buffer}.reserve() as {new}:"):
                line(f"{new}.store({fill})")
            term = step.format(s="", **blocks).partition("+=")[2].strip()
            repeated(
                f"{new}.store({old} + {term})", f", {buffer}.wait() as {old}, {buffer}.reserve() as {new}"
            )
        elif inner.through:
            with line.under(f"with {buffer}.reserve() as {inner.name}_sum:"):
                repeated(step.format(s=f"{inner.name}_sum", **blocks))
        else:
            line(f"{inner.name} = {fill}")
            repeated(step.format(s=inner.name, **blocks))
        if inner.through:
            line(f"{inner.name} = {buffer}.wait()")

    def _item(self) -> None:
        line, program = self.lines, self.program
        acquired = [(f"{port.name}_blk", f"{port.name}_dfb.wait()", "pop") for port in program.inputs]
        acquired += [(f"{port.name}_blk", f"{port.name}_dfb.reserve()", "push") for port in program.outputs]
        through = [instr.name for instr in program.body if instr.kind == "through"]
        through += [inner.name for inner in program.inner if inner.through]
        popped = [f"{name}.pop()" for name in through]
        if program.style == "with" and acquired:
            with line.under(f"with {', '.join(f'{call} as {name}' for name, call, _ in acquired)}:"):
                self._statements()
                if popped:
                    line(*popped)
            return
        for name, call, _ in acquired:
            line(f"{name} = {call}")
        self._statements()
        released = [f"{name}.{release}()" for name, _, release in acquired if program.style != "inferred"]
        for text in (*released, *popped):
            line(text)

    def _statements(self) -> None:
        line, program = self.lines, self.program
        variables = {port.name: f"{port.name}_blk" for port in program.inputs}
        for instr in program.body:
            args = [variables.get(arg, arg) if isinstance(arg, str) else repr(arg) for arg in instr.args]
            match instr.kind:
                case "op":
                    line(f"{instr.name} = {expression(instr, program.tiled, variables)}")
                case "loop":
                    step = LOOPS[instr.op][0]
                    line(f"{instr.name} = {step.format(t=args[0], a=args[1])}")
                    with line.under(f"for _ in range({instr.count - 1}):"):
                        line(f"{instr.name} = {step.format(t=instr.name, a=args[1])}")
                case "store" | "overwrite" | "iadd":
                    block = variables[instr.name] = f"{instr.target}_blk"
                    line(f"{block} += {args[1]}" if instr.kind == "iadd" else f"{block}.store({args[0]})")
                case "through":
                    with line.under(f"with {instr.name}_dfb.reserve() as {instr.name}_new:"):
                        line(f"{instr.name}_new.store({args[0]})")
                    line(f"{instr.name} = {instr.name}_dfb.wait()")
                case "carry":
                    line(f"{instr.name} = carry_dfb.wait()")
                case "carry_out":
                    with line.under("with carry_dfb.reserve() as carry_new:"):
                        line(f"carry_new.store({args[0]})")
                    carried = next((each.name for each in program.body if each.kind == "carry"), "")
                    if not carried:
                        line("dropped = carry_dfb.wait()", "dropped + 0")
                    line(f"{carried or 'dropped'}.pop()")

    # --- data movement ----------------------------------------------------------------------------------

    def _movement(self, kernel: str) -> None:
        line, program = self.lines, self.program
        inputs = [port for port in program.inputs if port.kernel == kernel]
        inner = [each for each in program.inner if each.ports[0].kernel == kernel]
        outputs = program.outputs if kernel == "write" else ()
        carried = bool(program.carry) and kernel == "write"
        barrier = program.barrier and kernel == "read"
        if not (inputs or inner or outputs or carried or barrier):
            return
        line("@ttl.datamovement()")
        with line.under(f"def {kernel}():"):
            if barrier:
                self._barrier()
            with line.under("for j, item in enumerate(items):"):
                line("previous = items[max(j - 1, 0)]", *grid_lines(program))
                for each in inner:
                    if each.ports[0].delivery == "gather":
                        self._gather(each.ports[0])
                        continue
                    with line.under(f"for k in range({each.steps}):"):
                        for port in each.ports:
                            self._read(port)
                if program.group_transfer and len(inputs) > 1 and all(p.delivery == "direct" for p in inputs):
                    self._read_group(inputs)
                else:
                    for port in inputs:
                        self._read(port)
                for port in outputs:
                    self._write(port)
                for port in outputs:
                    if port.name == program.echo:
                        self._echo(port)
            if carried:
                with line.under("with last_dfb.wait() as last_blk:"):
                    line("ttl.copy(last_blk, last[me, ...]).wait()")
        line()

    def _barrier(self) -> None:
        line = self.lines
        with line.under("with moved_dfb.reserve() as moved_blk:"):
            line("ttl.copy(source[me, ...], moved_blk).wait()")
        with line.under("with moved_dfb.wait() as moved_blk:"):
            line("ttl.copy(moved_blk, scratch[me, ...]).wait()")
        with line.under("if me:"):
            line("arrived.get_remote((0, 0)).inc(1)", "go.wait_ge(1)")
        with line.under("else:"):
            line("arrived.wait_eq(nodes - 1)", "go.get_remote_multicast().set(1)")

    def _read_group(self, ports: Sequence[Port]) -> None:
        line = self.lines
        acquired = ", ".join(f"{port.name}_dfb.reserve() as {port.name}_blk" for port in ports)
        with line.under(f"with {acquired}:"):
            line("group = ttl.GroupTransfer()")
            for port in ports:
                line(f"group.add(ttl.copy({port.tensor}[{port.index}], {port.name}_blk))")
            line("group.wait_all()")

    def _read(self, port: Port) -> None:
        line = self.lines
        block = f"{port.name}_blk"
        copy = f"ttl.copy({port.tensor}[{port.index}], {block})"
        if port.delivery == "direct":
            self._transferred(port, "reserve", copy, "push")
            return
        with line.under(f"with {port.name}_dfb.reserve() as {block}:"):
            with line.under(f"def {port.name}_receive(pipe):"):
                line(f"ttl.copy(pipe, {block}).wait()")
            with line.under(f"def {port.name}_send(pipe):"):
                if port.delivery != "ring":
                    line(f"{copy}.wait()")
                line(f"ttl.copy({block}, pipe).wait()")
            if port.delivery == "ring":
                with line.under("if k == 0:"):
                    line(f"{copy}.wait()")
                with line.under("else:"):
                    line(f"{port.name}_net.if_dst({port.name}_receive)")
                with line.under("if k < nodes - 1:"):
                    line(f"{port.name}_net.if_src({port.name}_send)")
            else:
                line(f"{port.name}_net.if_src({port.name}_send)")
                line(f"{port.name}_net.if_dst({port.name}_receive)")

    def _gather(self, port: Port) -> None:
        """Every node of a row sends its block to all, and takes one from each."""
        line = self.lines
        name = port.name
        with line.under(f"with {name}_own_dfb.reserve() as {name}_own:"):
            line(f"ttl.copy({port.tensor}[{port.index}], {name}_own).wait()")
        with line.under(f"with {name}_own_dfb.wait() as {name}_own:"):
            line(f"{name}_net.if_src(lambda pipe: ttl.copy({name}_own, pipe).wait())")
        with (
            line.under(f"def {name}_receive(pipe):"),
            line.under(f"with {name}_dfb.reserve() as {name}_blk:"),
        ):
            line(f"ttl.copy(pipe, {name}_blk).wait()")
        line(f"{name}_net.if_dst({name}_receive)")

    def _echo(self, port: Port) -> None:
        line = self.lines
        rest = ", :" * len(port.block)
        with line.under("with echo_dfb.reserve() as echo_blk:"):
            line(f"ttl.copy({port.tensor}[previous{rest}], echo_blk).wait()")
        with line.under("with echo_dfb.wait() as echo_blk:"):
            line(f"ttl.copy(echo_blk, echo[item{rest}]).wait()")

    def _write(self, port: Port) -> None:
        copy = f"ttl.copy({port.name}_blk, {port.tensor}[{port.index}])"
        self._transferred(port, "wait", copy, "pop")

    def _transferred(self, port: Port, acquire: str, copy: str, release: str) -> None:
        """A copy between a tensor and a block, in the style of the port."""
        line, block, transfer = self.lines, f"{port.name}_blk", f"{port.name}_xf"
        acquired = f"{port.name}_dfb.{acquire}()"
        if port.style == "with":
            with line.under(f"with {acquired} as {block}:"):
                line(f"{copy}.wait()")
            return
        line(f"{block} = {acquired}")
        if port.style == "inferred":
            line(copy)
            return
        line(f"{transfer} = {copy}", f"{transfer}.wait()", f"{block}.{release}()")
