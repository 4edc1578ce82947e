"""Mutations of a program's syntax tree. Each changes one thing in a way people get things wrong, or nobody would.

A mutation takes a tree and a source of randomness, changes the tree in place and says whether it could.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from fuzz.values import HOST, LIBRARIES, NUMBERS, PLAIN, wrong

Mutation = Callable[[ast.Module, Random], bool]

_BLOCK_METHODS = (
    "push", "pop", "store", "reserve", "wait", "add", "wait_all", "set", "inc", "wait_eq", "wait_ge",
)  # fmt: skip
_NET_METHODS = ("if_src", "if_dst", "is_src", "is_dst", "is_active", "get_remote", "get_remote_multicast")
_ATTRIBUTES = (
    "shape", "dtype", "layout", "block_count", "T", "data", "src", "dst", "value", "name", "buffer", "pipes", "__class__", "__dict__",
    "__len__", "__call__", "device", "item", "tile", "padded_shape", "numpy", "size", "stor", "wiat", "node", "grid", "function",
)  # fmt: skip
_TTL_NAMES = (
    "compute", "datamovement", "operation", "copy", "node", "grid_size", "make_dataflow_buffer_like", "Pipe", "PipeNet", "Semaphore",
    "GroupTransfer", "signpost", "Block", "BlockExpr", "DataflowBuffer", "Transfer", "TensorSlice", "math", "block", "TILE_SHAPE",
    "Shape", "exp", "copi", "datamovment", "kernel", "core", "Program", "make_circular_buffer_like", "make_dfb", "tile", "UnicastRemoteSemaphore",
)  # fmt: skip
_TTNN_NAMES = (
    "bfloat16", "float32", "bfloat8_b", "bfloat4_b", "int32", "uint32", "uint16", "uint8", "float16", "TILE_LAYOUT", "ROW_MAJOR_LAYOUT",
    "DRAM_MEMORY_CONFIG", "L1_MEMORY_CONFIG", "zeros", "ones", "empty", "zeros_like", "full", "rand", "arange", "from_torch", "to_torch",
    "add", "matmul", "softmax", "bfloat32", "TILE", "open_device", "close_device", "deallocate", "to_layout", "reshape", "float64",
)  # fmt: skip
_GRIDS = (
    "(1, 1)", "(2, 1)", "(3, 3)", "(8, 8)", "(9, 9)", "(0, 1)", "(1,)", "4", "()", "'auto'", "'full'", "'big'", "None", "(1, 1, 2)", "(1, 2, 2, 2)",
    "(1.5, 2)", "(-1, 2)", "(2**40, 1)", "[2, 2]", "('a', 1)", "(1, 1, 1, 1, 1)", "ttnn.CoreGrid(x=2, y=2)", "(True, 2)", "(1, None)",
)  # fmt: skip
# What people write around an expression: {} is the expression.
_WRAPPERS = (
    "len({})", "{}[0]", "{}[0:1]", "{}[0, 0]", "{}[None]", "{}[...]", "float({})", "int({})", "bool({})", "not {}", "-{}", "~{}", "+{}", "abs({})",
    "f'{{{}}}'", "f'{{{}:.3f}}'", "str({})", "repr({})", "hash({}) * 0", "iter({})", "next(iter({}))", "list({})", "tuple({})", "[{}]", "({},)",
    "copy.copy({})", "copy.deepcopy({})", "pickle.dumps({})", "np.asarray({})", "torch.tensor({})", "torch.exp({})", "np.exp({})", "math.exp({})",
    "np.add({}, 1)", "torch.zeros(2) + {}", "np.ones(2) * {}", "{} == {}", "{} is None", "{} in [{}]", "{} and {}", "{} < {}", "sorted([{}, {}])",
    "min({}, 1)", "max({}, {})", "sum([{}])", "round({})", "divmod({}, 2)", "{} % 2", "{} // 2", "{} / 0", "{} ** 2", "2 ** {}", "{} @ {}", "{} << 1", "{} & {}",
    "1 / {}", "{} - 'a'", "[1] + {}", "{}()", "{}.shape", "{}.dtype", "dir({})", "vars({})", "type({})", "type({})()", "isinstance({}, ttl.Block)", "id({}) * 0",
    "ttl.math.exp({})", "ttl.math.typecast({}, ttnn.int32)", "ttl.math.typecast({}, 'x')", "ttl.block.transpose({})", "ttl.block.fill({}, shape=(1, 1))",
    "ttl.math.reduce_sum({}, dims=[0])", "ttl.math.reduce_sum({}, dims=[0, 1], shape=(1, 1))", "ttl.block.broadcast({}, dims=[-1], shape=(1, 2))",
    "ttl.block.squeeze({}, dims=[0])", "ttl.block.unsqueeze({}, dims=[0])", "ttl.block.where({}, {}, 1)", "(yield {})", "(lambda: {})()", "(lambda: {})",
    "{}.wait()", "{}.reserve()", "{}.push()", "{}.pop()", "{}.store({})", "{} if {} else {}", "(x := {})", "print({})", "ttl.copy({}, {})", "ttnn.to_torch({})",
    "ttnn.add({}, {})", "setattr({}, 'shape', 1)", "getattr({}, 'nothing', 0)", "{}.__dict__", "{}.__class__({})", "format({}, '>10')", "'%d' % {}",
)  # fmt: skip
# Statements put anywhere; {} is a name of the program.
_STATEMENTS = (
    "return {}", "yield {}", "raise ValueError({})", "raise ValueError('x') from KeyError('y')", "{}.push()", "{}.pop()", "{}.wait()", "{}.reserve()", "{}.store({})",
    "print({})", "print({}, {}, sep='-', end='')", "print({}, num_pages=1)", "print({}, file=None)", "del {}", "{} = None", "{} += {}", "{} += 1", "{}[0] = 1",
    "{}.shape = (1, 1)", "assert {}", "global {}\n{} = 1", "for x in {}: pass", "while {}: pass", "while True: pass", "if {}: pass", "with {}: pass", "with {} as x: pass",
    "import sys; sys.exit(3)", "import nothing_there", "from ttl import nothing", "from ttnn import nothing", "import ttnn.nothing", "from ttl import *", "class K({}): pass",
    "LEAK.append({})", "[x.wait() for x in LEAK]", "[x.pop() for x in LEAK]", "[x.push() for x in LEAK]", "[x.store(1) for x in LEAK]", "print(LEAK)", "[x + x for x in LEAK]",
    "[ttl.copy(x, x) for x in LEAK]", "LEAK.clear()", "try:\n    {}.wait()\nexcept Exception:\n    pass", "try:\n    {}.push()\nfinally:\n    {}.pop()",
    "ttl.copy({}, {})", "ttl.copy({}, {}).wait()", "ttl.copy({}[0, 0], {})", "ttl.node()", "ttl.node(dims=0)", "ttl.grid_size(dims=9)", "ttl.Semaphore(1)", "ttl.PipeNet([])",
    "ttl.make_dataflow_buffer_like({}, shape=(1, 1))", "ttl.make_dataflow_buffer_like({}, shape=(99, 99), block_count=99)",
    "[ttl.make_dataflow_buffer_like({}, shape=(1, 1)) for _ in range(70)]", "{}.if_src({})", "{}.if_dst(lambda pipe: {})", "{}.if_src(lambda pipe: ttl.copy({}, pipe))",
    "{}.if_dst(lambda pipe: ttl.copy(pipe, {}))", "ttnn.deallocate({})", "ttnn.close_device({})", "{}({}, {})", "{}({})", "{}()", "async def k(): await {}",
    "x = ttl.signpost('a')\nx.__enter__()", "ttl.signpost({}).__enter__()", "ttl.signpost('a').__exit__(None, None, None)", "locals().clear()", "exec('{}.push()')",
    "@ttl.compute()\ndef extra():\n    {}", "@ttl.datamovement()\ndef extra():\n    {}.wait()", "@ttl.datamovement()\ndef extra():\n    {}.reserve()", "def extra():\n    {}.wait()",
    "@ttl.operation()\ndef inner(a): pass\ninner({})", "@ttl.compute()\n@ttl.datamovement()\ndef extra(): pass", "import threading\nthreading.Thread(target=print).start()",
    "import warnings\nwarnings.warn('w')", "{} = {}", "{} = {}[0]", "{}.set(1)", "{}.inc(1)", "{}.wait_eq(1)", "{}.get_remote({})", "{}.add({})", "{}.wait_all()", "breakpoint = None",
    "import gc; gc.collect()", "{}.__enter__()", "{}.__exit__(None, None, None)", "{} = {}.__class__.__new__({}.__class__)", "x = [{}] * 3\nx[0] = x",
)  # fmt: skip
_PRELUDE = "import copy, pickle, math\nimport numpy as np\nimport torch\nLEAK = []\n"


def mutated(source: str, random: Random) -> str | None:
    """The program after one to four mutations, as text; None when nothing could be changed."""
    tree = ast.parse(_after_docstring(source))
    wanted, done = random.choice((1, 1, 1, 2, 2, 3, 4)), 0
    for _ in range(4 * wanted):
        if done == wanted:
            break
        try:
            done += random.choice(MUTATIONS)(tree, random)
        except (IndexError, ValueError, SyntaxError):
            continue
    if not done:
        return None
    try:
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _after_docstring(source: str) -> str:
    return _PRELUDE + source


# --- finding places ------------------------------------------------------------------------------------------


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    """All lists of statements, those of functions more than once: there it is interesting."""
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            part = getattr(node, name, None)
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                found.append(part)
                if not isinstance(node, ast.Module):
                    found += [part, part]
    return found


def _body(tree: ast.AST, random: Random, size: int = 1) -> list[ast.stmt]:
    return random.choice([part for part in _bodies(tree) if len(part) >= size])


def _nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def _names(tree: ast.AST) -> list[str]:
    return sorted({node.id for node in _nodes(tree, ast.Name)} - {"range", "slice", "print", "sum", "tuple"})


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where expressions that are read are held: owner, field, index."""
    return [
        (node, name, index)
        for node in ast.walk(tree)
        if not isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.arguments)
        for name, value in ast.iter_fields(node)
        for index, each in _indexed(value)
        if isinstance(each, ast.expr) and not isinstance(getattr(each, "ctx", None), ast.Store | ast.Del)
    ]


def _indexed(value: object) -> Iterator[tuple[int | None, object]]:
    if isinstance(value, list):
        yield from enumerate(value)
    else:
        yield None, value


def _get(place: tuple[ast.AST, str, int | None]) -> Any:
    owner, name, index = place
    value = getattr(owner, name)
    return value if index is None else value[index]


def _put(place: tuple[ast.AST, str, int | None], new: ast.expr) -> None:
    owner, name, index = place
    if index is None:
        setattr(owner, name, new)
    else:
        getattr(owner, name)[index] = new


def _expr(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _filled(template: str, tree: ast.AST, random: Random) -> str:
    names = _names(tree)
    while "{}" in template:
        template = template.replace("{}", random.choice(names), 1)
    return template


# --- statements ----------------------------------------------------------------------------------------------


def drop_statement(tree: ast.Module, random: Random) -> bool:
    body = _body(tree, random)
    index = random.randrange(len(body))
    if len(body) == 1:
        body[index] = ast.Pass()
    else:
        del body[index]
    return True


def duplicate_statement(tree: ast.Module, random: Random) -> bool:
    body = _body(tree, random)
    index = random.randrange(len(body))
    body.insert(random.choice((index, len(body))), copy.deepcopy(body[index]))
    return True


def swap_statements(tree: ast.Module, random: Random) -> bool:
    body = _body(tree, random, 2)
    i, j = random.sample(range(len(body)), 2)
    body[i], body[j] = body[j], body[i]
    return True


def move_statement(tree: ast.Module, random: Random) -> bool:
    """To another place, often another kernel."""
    source, target = _body(tree, random, 2), _body(tree, random)
    statement = source.pop(random.randrange(len(source)))
    if any(target is part for part in _bodies(statement)):
        source.append(statement)
        return False
    target.insert(random.randint(0, len(target)), statement)
    return True


def copy_statement(tree: ast.Module, random: Random) -> bool:
    statement = copy.deepcopy(random.choice(_body(tree, random)))
    target = _body(tree, random)
    target.insert(random.randint(0, len(target)), statement)
    return True


def insert_statement(tree: ast.Module, random: Random) -> bool:
    body = _body(tree, random)
    new = ast.parse(_filled(random.choice(_STATEMENTS), tree, random)).body
    index = random.randint(0, len(body))
    body[index:index] = new
    return True


def leak(tree: ast.Module, random: Random) -> bool:
    """Objects of a kernel used after the operation."""
    body = random.choice([part for part in _bodies(tree) if part is not tree.body])
    body.insert(random.randint(0, len(body)), ast.parse(_filled("LEAK.append({})", tree, random)).body[0])
    use = random.choice(
        [text for text in _STATEMENTS if "LEAK" in text]
        + [f"[{w} for x in LEAK]".replace("{}", "x") for w in _WRAPPERS if "yield" not in w and ":=" not in w]
    )
    tree.body.append(ast.parse(_filled(use, tree, random)).body[0])
    return True


def unwrap(tree: ast.Module, random: Random) -> bool:
    """Drop a with, for, if or def around its statements."""
    body = _body(tree, random)
    places = [
        i for i, each in enumerate(body) if isinstance(each, ast.With | ast.For | ast.If | ast.FunctionDef)
    ]
    index = random.choice(places)
    body[index : index + 1] = body[index].body  # type: ignore[attr-defined]
    return True


def wrap(tree: ast.Module, random: Random) -> bool:
    """A with, for, if, while or def around a statement."""
    body = _body(tree, random)
    index = random.randrange(len(body))
    head = random.choice((
        "for _ in range(2): pass", "for _ in range(0): pass", "if False: pass", "if ttl.node(dims=1) == 0: pass", "while True: pass",
        "def nested(): pass", "for {} in {}: pass", "with {} as {}: pass", "with {}.reserve() as {}: pass", "with {}.wait() as {}: pass",
        "try: pass\nexcept Exception: pass", "try: pass\nfinally: pass", "class C: pass", "with ttl.signpost('s'): pass", "with ttl.signpost(1): pass",
    ))  # fmt: skip
    new: Any = ast.parse(_filled(head, tree, random)).body[0]
    new.body = [body[index]]
    body[index] = new
    return True


# --- with ----------------------------------------------------------------------------------------------------


def with_items(tree: ast.Module, random: Random) -> bool:
    node = random.choice(_nodes(tree, ast.With))
    match random.randrange(4):
        case 0 if len(node.items) > 1:
            node.items.pop(random.randrange(len(node.items)))
        case 1 if len(node.items) > 1:
            random.shuffle(node.items)
        case 2:
            random.choice(node.items).optional_vars = None
        case _:
            node.items.append(copy.deepcopy(random.choice(node.items)))
    return True


def with_to_assignment(tree: ast.Module, random: Random) -> bool:
    """``with dfb.reserve() as blk:`` becomes ``blk = dfb.reserve()``."""
    body = _body(tree, random)
    index = random.choice([i for i, each in enumerate(body) if isinstance(each, ast.With)])
    node: Any = body[index]
    assigned = [
        ast.Assign([item.optional_vars or ast.Name("_", ast.Store())], item.context_expr)
        for item in node.items
    ]
    body[index : index + 1] = [*assigned, *node.body]
    return True


# --- calls ---------------------------------------------------------------------------------------------------


def _call(tree: ast.AST, random: Random) -> ast.Call:
    return random.choice(_nodes(tree, ast.Call))


def drop_argument(tree: ast.Module, random: Random) -> bool:
    call = random.choice([each for each in _nodes(tree, ast.Call) if each.args or each.keywords])
    part = random.choice([part for part in (call.args, call.keywords) if part])
    part.pop(random.randrange(len(part)))
    return True


def swap_arguments(tree: ast.Module, random: Random) -> bool:
    call = random.choice([each for each in _nodes(tree, ast.Call) if len(each.args) > 1])
    random.shuffle(call.args)
    return True


def add_argument(tree: ast.Module, random: Random) -> bool:
    call = _call(tree, random)
    value = _expr(random.choice((wrong(random), *_names(tree)[:1], random.choice(_names(tree)))))
    match random.randrange(5):
        case 0:
            call.args.append(ast.Starred(value, ast.Load()))
        case 1:
            call.keywords.append(ast.keyword(None, value))
        case 2:
            call.keywords.append(
                ast.keyword(
                    random.choice(
                        (
                            "shape",
                            "dims",
                            "nothing",
                            "block_count",
                            "dtype",
                            "acc",
                            "layout",
                            "src",
                            "dst",
                            "device",
                            "value",
                            "approx",
                        )
                    ),
                    value,
                )
            )
        case _:
            call.args.insert(random.randint(0, len(call.args)), value)
    return True


def wrong_argument(tree: ast.Module, random: Random) -> bool:
    call = random.choice([each for each in _nodes(tree, ast.Call) if each.args or each.keywords])
    value = _expr(random.choice((wrong(random), wrong(random), random.choice(_names(tree)))))
    index = random.randrange(len(call.args) + len(call.keywords))
    if index < len(call.args):
        call.args[index] = value
    else:
        call.keywords[index - len(call.args)].value = value
    return True


def rename_keyword(tree: ast.Module, random: Random) -> bool:
    keyword = random.choice([each for each in _nodes(tree, ast.keyword) if each.arg])
    keyword.arg = random.choice(
        (
            keyword.arg[:-1] or "x",
            keyword.arg + "s",
            "shape",
            "dims",
            "dim",
            "nothing",
            "block_count",
            "dtype",
        )
    )
    return True


def keyword_to_position(tree: ast.Module, random: Random) -> bool:
    call = random.choice([each for each in _nodes(tree, ast.Call) if each.keywords])
    call.args.append(call.keywords.pop().value)
    return True


def rename_method(tree: ast.Module, random: Random) -> bool:
    call = random.choice([each for each in _nodes(tree, ast.Call) if isinstance(each.func, ast.Attribute)])
    called = call.func
    pools: list[tuple[str, ...]] = [_BLOCK_METHODS, _BLOCK_METHODS, _NET_METHODS, _ATTRIBUTES]
    if isinstance(called.value, ast.Name) and called.value.id in ("ttl", "ttnn"):
        pools = [_TTL_NAMES if called.value.id == "ttl" else _TTNN_NAMES]
    called.attr = random.choice((*random.choice(pools), called.attr[:-1], called.attr + "e"))
    return bool(called.attr)


def swap_acquire(tree: ast.Module, random: Random) -> bool:
    """``reserve`` for ``wait`` and ``push`` for ``pop``, and the other way round."""
    other = {
        "reserve": "wait",
        "wait": "reserve",
        "push": "pop",
        "pop": "push",
        "if_src": "if_dst",
        "if_dst": "if_src",
        "wait_eq": "wait_ge",
        "set": "inc",
        "inc": "set",
    }
    node = random.choice([each for each in _nodes(tree, ast.Attribute) if each.attr in other])
    node.attr = other[node.attr]
    return True


def without_call(tree: ast.Module, random: Random) -> bool:
    """``f`` instead of ``f()``, or ``f()()``."""
    places = [place for place in _expressions(tree) if isinstance(_get(place), ast.Call)]
    place = random.choice(places)
    call = _get(place)
    _put(place, call.func if random.random() < 0.6 else ast.Call(call, [], []))
    return True


# --- values --------------------------------------------------------------------------------------------------


def change_number(tree: ast.Module, random: Random) -> bool:
    node = random.choice([each for each in _nodes(tree, ast.Constant) if isinstance(each.value, int | float)])
    value = node.value
    node.value = random.choice(
        (
            0,
            1,
            2,
            3,
            value + 1,
            value - 1,
            value * 2,
            value // 2 if value else 5,
            -value,
            64,
            100,
            2**31,
            2**33,
            10**6,
        )
    )
    return node.value != value


def wrong_constant(tree: ast.Module, random: Random) -> bool:
    place = random.choice([place for place in _expressions(tree) if isinstance(_get(place), ast.Constant)])
    _put(place, _expr(wrong(random)))
    return True


def wrong_expression(tree: ast.Module, random: Random) -> bool:
    place = random.choice(_expressions(tree))
    _put(place, _expr(random.choice((wrong(random), random.choice(PLAIN + NUMBERS + HOST + LIBRARIES)))))
    return True


def wrap_expression(tree: ast.Module, random: Random) -> bool:
    place = random.choice(_expressions(tree))
    text = ast.unparse(_get(place))
    _put(place, _expr(random.choice(_WRAPPERS).replace("{}", f"({text})")))
    return True


def wrap_name(tree: ast.Module, random: Random) -> bool:
    place = random.choice([place for place in _expressions(tree) if isinstance(_get(place), ast.Name)])
    text = ast.unparse(_get(place))
    _put(place, _expr(random.choice(_WRAPPERS).replace("{}", text)))
    return True


def other_name(tree: ast.Module, random: Random) -> bool:
    node = random.choice(_nodes(tree, ast.Name))
    node.id = random.choice(_names(tree))
    return True


def other_expression(tree: ast.Module, random: Random) -> bool:
    """An expression of the program in place of another one."""
    places = _expressions(tree)
    _put(random.choice(places), copy.deepcopy(_get(random.choice(places))))
    return True


def other_attribute(tree: ast.Module, random: Random) -> bool:
    node = random.choice(_nodes(tree, ast.Attribute))
    pool = _ATTRIBUTES
    if isinstance(node.value, ast.Name) and node.value.id in ("ttl", "ttnn"):
        pool = _TTL_NAMES if node.value.id == "ttl" else _TTNN_NAMES
    node.attr = random.choice(pool)
    return True


def change_operator(tree: ast.Module, random: Random) -> bool:
    node = random.choice(_nodes(tree, ast.BinOp, ast.AugAssign))
    node.op = random.choice(
        (
            ast.Add,
            ast.Sub,
            ast.Mult,
            ast.Div,
            ast.FloorDiv,
            ast.Mod,
            ast.Pow,
            ast.MatMult,
            ast.BitXor,
            ast.BitAnd,
            ast.LShift,
        )
    )()
    return True


def change_index(tree: ast.Module, random: Random) -> bool:
    node = random.choice(_nodes(tree, ast.Subscript))
    node.slice = _expr("x[" + random.choice((
        "0", "-1", "99", "0, 0, 0", "0, 99", "-5, 0", "0:2, 0:2", "0:0, 0", "1:0, 0", "::2, 0", "0:1:-1, 0", ":, :", "..., 0", "0, ...", "None, 0", "'a', 0", "1.5, 0",
        "0:99, 0", "0, 0:1.5", "True, 0", "(0, 0), 0", "np.int64(0), np.int64(0)", "torch.tensor(0), 0", "slice(0, 1), slice(0, 1)", "[0, 1], 0", "0:2**40, 0", "2**70, 0", "-1:, 0", "()",
    )) + "]").slice  # type: ignore[attr-defined]  # fmt: skip
    return True


# --- functions -----------------------------------------------------------------------------------------------


def decorators(tree: ast.Module, random: Random) -> bool:
    node = random.choice([each for each in _nodes(tree, ast.FunctionDef) if each.decorator_list])
    index = random.randrange(len(node.decorator_list))
    match random.randrange(7):
        case 0:
            node.decorator_list.pop(index)
        case 1:
            node.decorator_list[index] = _expr(
                random.choice(
                    (
                        "ttl.compute()",
                        "ttl.datamovement()",
                        "ttl.operation()",
                        "ttl.compute",
                        "ttl.datamovement",
                        "ttl.operation",
                    )
                )
            )
        case 2:
            node.decorator_list.append(
                _expr(
                    random.choice(
                        ("ttl.compute()", "ttl.datamovement()", "ttl.operation()", "staticmethod", "property")
                    )
                )
            )
        case 3 if isinstance(node.decorator_list[index], ast.Call):
            node.decorator_list[index] = node.decorator_list[index].func
        case 4 if isinstance(node.decorator_list[index], ast.Call):
            node.decorator_list[index].args.append(_expr(wrong(random)))
        case _:
            return False
    return True


def change_grid(tree: ast.Module, random: Random) -> bool:
    keyword = random.choice([each for each in _nodes(tree, ast.keyword) if each.arg == "grid"])
    keyword.value = _expr(random.choice(_GRIDS))
    return True


def function_shape(tree: ast.Module, random: Random) -> bool:
    """Another signature, name or kind of function."""
    node = random.choice(_nodes(tree, ast.FunctionDef))
    match random.randrange(7):
        case 0:
            node.args.args.append(ast.arg("extra"))
        case 1 if node.args.args:
            node.args.args.pop()
        case 2:
            node.args.vararg = ast.arg("rest")
        case 3:
            node.body.append(ast.parse(f"def f():\n return {random.choice(_names(tree))}").body[0].body[0])  # type: ignore[attr-defined]
        case 4:
            node.name = random.choice([each.name for each in _nodes(tree, ast.FunctionDef)])
        case 5:
            node.body.insert(0, ast.parse("def f():\n yield 1").body[0].body[0])  # type: ignore[attr-defined]
        case _:
            changed: Any = ast.AsyncFunctionDef(**dict(ast.iter_fields(node)))
            for body in _bodies(tree):
                for index, each in enumerate(body):
                    if each is node:
                        body[index] = changed
    return True


def call_twice(tree: ast.Module, random: Random) -> bool:
    """The launch of an operation again, with the same, other or fewer arguments."""
    operations = {
        each.name
        for each in _nodes(tree, ast.FunctionDef)
        if any("operation" in ast.unparse(d) for d in each.decorator_list)
    }
    launches = [
        each
        for each in tree.body
        if isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Call)
        and getattr(each.value.func, "id", "") in operations
    ]
    launch = random.choice(launches)
    again: Any = copy.deepcopy(launch)
    match random.randrange(4):
        case 0:
            random.shuffle(again.value.args)
        case 1:
            again.value.args[random.randrange(len(again.value.args))] = _expr(
                random.choice((wrong(random), *_names(tree)))
            )
        case 2:
            again.value.args.pop()
        case _:
            again.value.args = [copy.deepcopy(again.value.args[0])] * len(again.value.args)
    tree.body.insert(tree.body.index(launch) + random.randrange(2), again)
    return True


MUTATIONS: tuple[Mutation, ...] = (
    drop_statement, drop_statement, duplicate_statement, swap_statements, swap_statements, move_statement, move_statement, copy_statement, copy_statement,
    insert_statement, insert_statement, insert_statement, leak, unwrap, wrap, with_items, with_to_assignment, drop_argument, swap_arguments, add_argument, wrong_argument,
    wrong_argument, wrong_argument, rename_keyword, keyword_to_position, rename_method, rename_method, swap_acquire, swap_acquire, without_call, change_number, change_number,
    wrong_constant, wrong_constant, wrong_expression, wrong_expression, wrap_expression, wrap_name, wrap_name, other_name, other_name, other_expression, other_attribute,
    change_operator, change_index, change_index, decorators, change_grid, function_shape, call_twice,
)  # fmt: skip
