"""Hook of mkdocs: the reference of the language, from the documentation in the source; and block names as captions."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from ttl.protocol.blocks import Role, State, Step

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

# The order is the specification's. Every public name of ttl is in here once (tests/docs/test_language.py).
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Operations and kernels", ("operation", "Operation", "compute", "datamovement")),
    ("Tile programs", ("tile_operation", "TileOperation", "load", "store", "spatial", "temporal", "fraction")),
    ("Grid", ("grid_size", "node")),
    ("Loops", ("static_range",)),
    ("Dataflow buffers", ("make_dataflow_buffer_like", "make_dfb", "make_dfb_allocation_group", "make_tensor_backed_dfb", "DataflowBuffer", "DFB")),
    ("Resets", ("DFBReset", "reset_dfbs", "reset_all_dfbs")),
    ("Memory across launches", ("SRAMStorage",)),
    ("Distributed tensors", ("distribute", "DistributedTensor", "TensorShard")),
    ("Blocks", ("Block", "BlockExpr", "math", "block")),
    ("Copies", ("copy", "Transfer", "GroupTransfer", "TensorSlice", "ReceiveRequest", "wait_any", "ReadyReceive")),
    ("Single elements", ("raw_element_read", "raw_element_write", "read_index", "copy_tensor_page")),
    ("Pipes", ("Pipe", "PipeNet", "SrcPipeIdentity", "DstPipeIdentity", "PipeIdentity")),
    ("Several chips", ("DeviceDomain", "DeviceRef", "DeviceRange", "TransferGraph", "PipeMapping")),
    ("Semaphores", ("Semaphore", "UnicastRemoteSemaphore", "MulticastRemoteSemaphore")),
    (
        "Your own C++",
        (
            "call_extern_func", "extern", "DFBEffect", "DFBAccess", "TensorAccess", "dfb_descriptor", "get_dfb_id", "raw_addr", "Kernel",
            "KernelKind",
            "ScalarType",
            "DispatchCondition",
        ),
    ),
    ("Profiling", ("signpost", "profile", "CallProfile")),
    ("Checking", ("example", "TensorSpec")),
    ("Tuning", ("tunable", "Config", "as_large_as_fits")),
    ("Errors", ("TTLError", "ProgramError", "ResourceError", "DeadlockError", "InternalError")),
    (
        "Types and constants",
        (
            "PositiveInt", "NaturalInt", "Size", "Index", "Count", "Shape", "NodeCoord", "NodeRange", "TILE_SHAPE",
        ),
    ),
)  # fmt: skip
# The classes that programs make objects of; objects of the others come from calls.
MADE_BY_PROGRAMS = (
    "Pipe",
    "PipeNet",
    "DeviceDomain",
    "DeviceRef",
    "DeviceRange",
    "PipeMapping",
    "GroupTransfer",
    "Semaphore",
    "signpost",
    "TensorSpec",
    "Config",
    "SRAMStorage",
)
# Kept for programs of older versions, each with a note that carries the current spelling.
OLDER = ("DataflowBuffer.push", "DataflowBuffer.pop")
STATES_GO_HERE = "<!-- block states -->"
_NAMED_BLOCK = re.compile(r"^( *)```(\w+) ([^\n`]+)$", re.MULTILINE)


def language() -> str:
    """The page, as Markdown."""
    import ttl

    parts = [
        "# The language\n\nEvery public name of `ttl`, from the documentation in its source. "
        "What the words mean is in the [tutorial](../tutorial/index.md).\n"
    ]
    for title, names in SECTIONS:
        parts.append(f"## {title}\n")
        if title == "Types and constants":
            parts.append(_constants(ttl, names))
            continue
        parts += [_entry(f"ttl.{name}", getattr(ttl, name)) for name in names]
        if title == "Profiling":
            parts.append(_PRINT)
    return "\n".join(parts)


_PRINT = """### `print`

Python's own. While an operation runs it also takes one tensor, block, block expression or dataflow buffer, with any number of strings and
numbers, and shows its contents or state; `num_pages` says how many pages of a tensor. See [debugging](../guides/debugging.md#print).
"""


def _entry(name: str, thing: Any) -> str:
    if inspect.ismodule(thing):
        operations = "[operations](operations.md)"
        return f"### `{name}`\n\nFunctions over blocks and block expressions: see {operations}.\n"
    if not inspect.isclass(thing):
        return f"### `{name}`\n\n{_signature(name, thing)}\n{_prose(thing)}\n"
    head = _signature(name, thing) if thing.__name__ in MADE_BY_PROGRAMS else ""
    text = f"### `{name}`\n\n{head}\n{_prose(thing)}\n"
    for member_name, member in _members(thing):
        full = f"{name}.{member_name}"
        if f"{thing.__name__}.{member_name}" in OLDER:
            continue
        signature = "" if isinstance(member, property) else _signature(full, member, method=True)
        text += f"\n#### `{full}`\n\n{signature}\n{_prose(member)}\n"
    return text


def _members(cls: type) -> Iterable[tuple[str, Any]]:
    for stored, member in cls.__dict__.items():
        name = stored.removeprefix("_slow_")  # ttl.control: the native core does the usual cases
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


def _signature(name: str, thing: Any, *, method: bool = False) -> str:
    signature = inspect.signature(thing)
    parameters = list(signature.parameters.values())
    if method:
        parameters = parameters[1:]
    # What users of the present spelling pass; keyword-only parameters are the older ones, except of `operation`.
    shown = [
        _parameter(parameter) for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY
    ]
    returns = (
        ""
        if signature.return_annotation in (inspect.Signature.empty, "None", None, "Any")
        else (f" -> {_annotation(signature.return_annotation)}")
    )
    if inspect.isclass(thing):
        returns = ""
    return f"```text\n{name}({', '.join(shown)}){returns}\n```\n"


def _parameter(parameter: inspect.Parameter) -> str:
    text = parameter.name
    kind = _annotation(parameter.annotation)
    if kind:
        text += f": {kind}"
    if parameter.default is not parameter.empty:
        text += f" = {parameter.default!r}" if kind else f"={parameter.default!r}"
    return text


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return "" if text in ("Any", "_empty", "inspect._empty") else text


def _prose(thing: Any) -> str:
    text = inspect.cleandoc(thing.__doc__ or "")
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    # `code` in backticks is an example of a code, not a reference to it.
    return re.sub(r"(?<!`)\b(TTL\d{4})\b(?!`)", r"[\1](../errors/\1.md)", text) + "\n"


def _constants(ttl: Any, names: Iterable[str]) -> str:
    rows = ["| name | what it is |", "| --- | --- |"]
    for name in names:
        value = getattr(ttl, name)
        text = str(value).replace("ttl.lang.types.", "").replace("typing.", "").replace("|", "\\|")
        rows.append(f"| `ttl.{name}` | `{text}` |")
    return "\n".join(rows) + "\n"


def block_states() -> str:
    """The tables of the life of a block, from the state machine itself."""
    from ttl.protocol.blocks import Role, State, Step

    states = {
        State.MUST_BE_WRITTEN: "unwritten",
        State.NO_ACCESS_WHILE_WRITING: "being copied into",
        State.MUST_BE_READ: "written, unread",
        State.UNREAD: "filled by its producer, unread",
        State.READ_WRITE: "filled",
        State.READ_ONLY_WHILE_READING: "being copied from",
        State.OUT_OF_SCOPE: "released",
        State.IN_PARTS: "used in parts",
    }
    moves = {Step.COPY_IN: "copy into", Step.COPY_OUT: "copy from"}
    computes = {Step.STORE: "store", Step.READ: "use in an expression"}
    roles = {
        Role.RESERVE_DATA_MOVEMENT: ("`reserve()` in a data movement kernel", {**moves, Step.PUSH: "push"}),
        Role.WAIT_DATA_MOVEMENT: ("`wait()` in a data movement kernel", {**moves, Step.POP: "pop"}),
        Role.RESERVE_COMPUTE: ("`reserve()` in the compute kernel", {**computes, Step.PUSH: "push"}),
        Role.WAIT_COMPUTE: ("`wait()` in the compute kernel", {**computes, Step.POP: "pop"}),
    }
    parts = []
    for role, (title, steps) in roles.items():
        rows = [f"| the block is | {' | '.join(steps.values())} |", "| --- " * (len(steps) + 1) + "|"]
        for state in _reachable(role):
            cells = [_step(role, state, step, states) for step in steps]
            rows.append(f"| {states[state]} | {' | '.join(cells)} |")
        parts.append(f"### {title}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _reachable(role: Role) -> list[State]:
    """The states a block of a role can be in, in the order of its life."""
    from ttl.protocol.blocks import State, Step, initial_state, next_state

    order = [initial_state(role)]
    for state in order:
        for step in Step:
            following = next_state(role, state, step)
            if following is not None and following not in order:
                order.append(following)
    return [*(state for state in order if state is not State.OUT_OF_SCOPE), State.OUT_OF_SCOPE]


def _step(role: Role, state: State, step: Step, states: dict[State, str]) -> str:
    from ttl.protocol.blocks import explain, next_state

    following = next_state(role, state, step)
    if following is not None:
        return f"→ {states[following]}"
    code = explain(role, state, step, "the buffer").code
    return f"[{code}](../errors/{code}.md)"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add ``reference/language.md``."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "reference/language.md", content=language()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The name behind a block's language means something to our tests; a reader gets it as a caption."""

    def caption(found: re.Match[str]) -> str:
        indent, language, name = found.groups()
        title = " → ".join(name.split())
        return f'{indent}```{language} title="{title}"'

    return _NAMED_BLOCK.sub(caption, markdown.replace(STATES_GO_HERE, block_states()))
