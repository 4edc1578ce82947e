"""The NumPy text of a program: node after node, item after item, what the kernels together compute."""

from __future__ import annotations

from support.random_programs.language.emit import INNER, LOOPS, Lines, grid_lines, live
from support.random_programs.language.spec import Inner, Instr, Port, Program


def reference_text(program: Program) -> str:
    """A program for the machine of ``reference.py``: ``def run(R, T)`` with the machine and the tensors by name."""
    program = live(program)
    line = Lines()
    line("import numpy as np", "", "")
    with line.under("def run(R, T):"):
        line(f"gx, gy = {program.grid}", "nodes = gx * gy")
        if program.barrier:
            line('T["scratch"].values[...] = T["source"].values')
        with line.under("for me in range(nodes):"):
            line("x, y = divmod(me, gy)", f"items = list({program.items})")
            out = next((instr for instr in program.body if instr.kind == "carry_out"), None)
            if out is not None:
                line(f"carried = {_ref_fill(program, out.shape, out.integer)}")
            with line.under("for j, item in enumerate(items):"):
                line("previous = items[max(j - 1, 0)]", *grid_lines(program))
                for inner in program.inner:
                    _ref_inner(line, program, inner)
                for port in program.inputs:
                    line(f"{port.name} = {_ref_read(port)}")
                for instr in program.body:
                    _ref_statement(line, program, instr)
                last = {instr.target: instr.name for instr in program.body if instr.kind in ("store", "iadd")}
                for port in program.outputs:
                    line(f"R.write(T[{port.tensor!r}], np.s_[{port.index}], {last[port.name]})")
                    if port.name == program.echo:
                        rest = ", :" * len(port.block)
                        read = f"R.read(T[{port.tensor!r}], np.s_[previous{rest}], {port.block})"
                        line(f'R.write(T["echo"], np.s_[item{rest}], {read})')
            if out is not None:
                line(
                    f'R.write(T["last"], np.s_[me{", :" * len(out.shape)}], R.store(carried, T["last"].dtype))'
                )
    return str(line)


def _ref_fill(program: Program, shape: tuple[int, ...], integer: bool) -> str:
    return f"R.fill(0, {shape}, {program.tiled}, {integer})"


def _ref_read(port: Port) -> str:
    return f"R.read(T[{port.tensor!r}], np.s_[{_owner(port)}], {port.block})"


def _owner(port: Port) -> str:
    """The index as the node that reads the tensor computes it."""
    owners = {
        "row": "(0 * gy + y)",
        "column": "(x * gy + 0)",
        "all": "0",
        "gather": "(k * gy + y)",
        "ring": "((me - k) % nodes)",
    }
    return port.index.replace("me", owners.get(port.delivery, "me"))


def _ref_inner(line: Lines, program: Program, inner: Inner) -> None:
    line(f"{inner.name} = {_ref_fill(program, inner.shape, inner.integer)}")
    with line.under(f"for k in range({inner.steps}):"):
        for port in inner.ports:
            line(f"{port.name} = {_ref_read(port)}")
        blocks = {letter: port.name for letter, port in zip("ab", inner.ports)}
        step = INNER[inner.form][1].format(s=inner.name, **blocks)
        if inner.through:
            first = (
                step
                if inner.turns
                else INNER[inner.form][1].partition("{s}, ")[2][:-1].format(s="", **blocks)
            )
            line(f"step = {step} if k else {first}")  # the first time `+=` stores
            line(f"{inner.name} = R.store(step, T[{inner.through!r}].dtype)")
        else:
            line(f"{inner.name} = {step}")


def _ref_statement(line: Lines, program: Program, instr: Instr) -> None:
    args = [arg if isinstance(arg, str) else repr(arg) for arg in instr.args]
    tensors = {port.name: port.tensor for port in (*program.inputs, *program.outputs)}
    match instr.kind:
        case "op" if instr.op == "fill":
            params = dict(instr.params)
            line(
                f"{instr.name} = R.fill({params['value']!r}, {params['shape']}, {program.tiled}, {instr.integer})"
            )
        case "op":
            params_text = "".join(f", {name}={value!r}" for name, value in instr.params)
            line(f"{instr.name} = R.apply({instr.op!r}, {', '.join(args)}{params_text})")
        case "loop":
            line(f"{instr.name} = {args[0]}")
            with line.under(f"for _ in range({instr.count}):"):
                line(f"{instr.name} = {LOOPS[instr.op][1].format(t=instr.name, a=args[1])}")
        case "store" | "overwrite":
            line(f"{instr.name} = R.store({args[0]}, T[{tensors[instr.target]!r}].dtype)")
        case "iadd":
            added = f'R.apply("add", {args[0]}, {args[1]})'
            line(f"{instr.name} = R.store({added}, T[{tensors[instr.target]!r}].dtype)")
        case "through":
            line(f"{instr.name} = R.store({args[0]}, T[{instr.target!r}].dtype)")
        case "carry":
            line(f"{instr.name} = carried")
        case "carry_out":
            line(f"carried = R.store({args[0]}, T[{program.carry!r}].dtype)")
