"""The names that a piece of source assigns and reads, and its early exits: facts about syntax, cached per node."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from ttl.session import cached
from ttl.source.facts import fact_of_syntax
from ttl.source.trees import FunctionNode

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Tested with ``type``, because every node of a program is tested many times, and parsed nodes have exact types.
LEAVES = frozenset({ast.Name, ast.Constant})
_CLOSED = frozenset({*_FUNCTIONS, *LEAVES})
# Fields that contain no nodes to visit: the context of a name, an operator, a name or a number.
_NO_PARTS = frozenset(
    {"ctx", "op", "id", "attr", "arg", "module", "level", "kind", "type_comment", "simple", "conversion", "is_async"}
)  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Nodes that bind names, and nodes with a scope of their own.
_BINDING = frozenset(
    {
        ast.Name, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.MatchAs, ast.MatchStar,
        ast.MatchMapping, *_COMPREHENSIONS,
    }
)  # fmt: skip

_YIELDING = frozenset({ast.Yield, ast.YieldFrom})
_ACTING = frozenset({ast.NamedExpr, ast.Call, ast.Await})
_SCOPING = frozenset({ast.Name, ast.Nonlocal, ast.Global, ast.FunctionDef})


@cache
def _holding_parts(fields: tuple[str, ...]) -> tuple[str, ...]:
    """The fields of a kind of node that may contain nodes."""
    return tuple(field for field in fields if field not in _NO_PARTS)


@fact_of_syntax
def parts(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes directly in a node. The context of a name, and the operator in ``op``, do not count."""
    nodes: list[ast.AST] = []
    for field in _holding_parts(node._fields):
        value = getattr(node, field, None)
        if isinstance(value, list):
            nodes += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return tuple(nodes)


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes and the nodes below them, in order, without those inside functions that are defined there."""
    return chain.from_iterable(chain((node,), _own_below(node)) for node in nodes)


@fact_of_syntax
def _own_below(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes below a node, without itself, because the cached result would keep the node alive."""
    nodes, left = list[ast.AST](), [node]
    while left:
        item = left.pop()
        if item is not node:
            nodes.append(item)
            if isinstance(item, ast.stmt):
                nodes += _own_below(item)
                continue
        if type(item) not in _CLOSED:
            left += reversed(parts(item))
    return tuple(nodes)


def all_nodes(node: ast.AST) -> list[ast.AST]:
    """A node and all nodes below it."""
    return [node, *_all_below(node)]


@fact_of_syntax
def _all_below(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes below a node, without itself; without recursion, because statements may be nested deep."""
    if type(node) in LEAVES:
        return ()
    nodes, left = list[ast.AST](), [*parts(node)]
    while left:
        item = left.pop()
        nodes.append(item)
        if type(item) not in LEAVES:
            left += parts(item)
    return tuple(nodes)


def assigned(*body: ast.AST) -> tuple[str, ...]:
    """Names that statements assign in their scope, in order, and those that functions in them declare nonlocal."""
    if len(body) == 1:
        return _assigned(body[0])
    return tuple(dict.fromkeys(chain.from_iterable(map(_assigned, body))))


@fact_of_syntax
def _assigned(statement: ast.AST) -> tuple[str, ...]:
    result: dict[str, None] = {}
    nodes = [node for node in own_nodes((statement,)) if type(node) in _BINDING]
    # The variables of a comprehension are its own.
    own = {
        id(item)
        for node in nodes
        if isinstance(node, _COMPREHENSIONS)
        for part in node.generators
        for item in all_nodes(part.target)
    }
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=context):
                if not isinstance(context, ast.Load) and id(node) not in own:
                    result[name] = None
                continue
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                result[name] = None
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    result[alias.asname or alias.name.partition(".")[0]] = None
            case ast.ExceptHandler(name=str(name)):
                result[name] = None
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                result[name] = None
        if isinstance(node, ast.FunctionDef):
            result.update(dict.fromkeys(sorted(nonlocals(node))))
    return tuple(result)


@fact_of_syntax
def only_augmented(loop: ast.AST) -> frozenset[str]:
    """Names that a loop assigns only with ``+=`` and the like.

    A block with such a name is the same block afterwards.
    """
    augmented: set[str] = set()
    targets: set[int] = set()
    for node in own_nodes([loop]):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            augmented.add(node.target.id)
            targets.add(id(node.target))
    others = {
        node.id
        for node in own_nodes([loop])
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in targets
    }
    return frozenset(augmented - others)


@fact_of_syntax
def only_values(function: ast.AST) -> frozenset[str]:
    """Names of a function that are only used as values: operands, stored, passed to ``ttl.math`` and ``ttl.block``.

    A block of such a name is never released, copied or passed on under that name.
    """
    others = [name.id for name in all_nodes(function) if isinstance(name, ast.Name)]
    values: Counter[str] = Counter()
    for node in all_nodes(function):
        values.update(expression.id for expression in _operands(node) if isinstance(expression, ast.Name))
    return frozenset(name for name, count in Counter(others).items() if values[name] == count)


def _operands(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.Assign(targets=targets):
            return targets
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="ttl"), attr="math" | "block"))
        ):
            return node.args
        case ast.Call(func=ast.Attribute(attr="store")):
            return node.args
    return []


@fact_of_syntax
def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that are local to a function: its parameters, and the names that it assigns."""
    arguments = function.args
    names = {parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names |= {item.arg for item in (arguments.vararg, arguments.kwarg) if item is not None}
    if isinstance(function, ast.Lambda):
        return frozenset(names)
    elsewhere: set[str] = set()
    inner: set[str] = set()
    stored: set[str] = set()
    for node in [node for node in own_nodes(function.body) if type(node) in _SCOPING]:
        match node:
            case ast.Name(id=name, ctx=context):
                if isinstance(context, ast.Store):
                    stored.add(name)
            case ast.Nonlocal(names=declared) | ast.Global(names=declared):
                elsewhere.update(declared)
            case ast.FunctionDef():
                inner |= nonlocals(node)
    return frozenset((set(assigned(*function.body)) - elsewhere - (inner - stored)) | names)


@cached(maxsize=256)
def outermost_loop(function: ast.AST, place: ast.AST) -> ast.For | ast.While | None:
    """The outermost loop of a function that contains a node."""
    loops = (node for node in ast.walk(function) if isinstance(node, ast.For | ast.While))
    return next((loop for loop in loops if any(node is place for node in ast.walk(loop))), None)


@fact_of_syntax
def leaves(loop: ast.For | ast.While) -> frozenset[str]:
    """Return the statements by which the body of a loop may leave it early: ``break``, ``return``."""
    statements = [*loop.body]
    result = {"return" for statement in statements if returns(statement)}
    while statements:
        statement = statements.pop()
        if isinstance(statement, ast.Break):
            result.add("break")
        # ``break`` in the ``else`` of an inner loop belongs to this loop.
        statements += (
            statement.orelse if isinstance(statement, ast.For | ast.While) else statements_of(statement)
        )
    return frozenset(result)


def statements_of(statement: ast.stmt) -> list[ast.stmt]:
    """The statements of the blocks of a statement, but not those of a function or class that it defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    return [
        inner
        for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
        for field in ("body", "orelse", "finalbody")
        for inner in getattr(part, field, ())
    ]


@fact_of_syntax
def nonlocals(function: ast.AST) -> frozenset[str]:
    """Names that functions defined in a function assign in an enclosing scope."""
    return frozenset(
        name for node in all_nodes(function) if isinstance(node, ast.Nonlocal) for name in node.names
    )


def head_of(statement: ast.stmt) -> list[ast.AST]:
    """Return the parts that a statement itself evaluates, without the statements in it."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=iterated):
            return [iterated]
        case ast.With(items=items):
            return [item.context_expr for item in items]
        case ast.Match(subject=subject):
            return [subject]
        case ast.FunctionDef() | ast.ClassDef() | ast.Try():
            return []
    return [statement]


@fact_of_syntax
def has_choice(statement: ast.stmt) -> bool:
    """Whether the head of a statement has a conditional expression."""
    return any(ast.IfExp in map(type, all_nodes(head)) for head in head_of(statement))


@fact_of_syntax
def may_act(expression: ast.expr) -> bool:
    """Whether evaluating an expression may have effects: it assigns a name, or calls a function."""
    return not _ACTING.isdisjoint(map(type, own_nodes((expression,))))


def ends(body: list[ast.stmt]) -> bool:
    """Whether no code can run after a block, because it ends by leaving."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, ast.Return | ast.Break | ast.Continue | ast.Raise)


@fact_of_syntax
def body_of(function: FunctionNode) -> list[ast.stmt]:
    """The statements of a function. A lambda has one, which returns its expression."""
    if not isinstance(function, ast.Lambda):
        return function.body
    return [ast.copy_location(ast.Return(function.body), function.body)]


@fact_of_syntax
def is_generator(function: ast.FunctionDef) -> bool:
    """Whether a function contains ``yield``."""
    return not _YIELDING.isdisjoint(map(type, own_nodes(function.body)))


@fact_of_syntax
def returns(statement: ast.stmt) -> bool:
    """Whether a statement may return from the function that contains it."""
    return isinstance(statement, ast.Return) or any(map(returns, statements_of(statement)))


_READING = frozenset({ast.Name, ast.AugAssign})


@fact_of_syntax
def reads(node: ast.AST) -> Counter[str]:
    """Return how often each name is read below a node, including functions defined there."""
    result: Counter[str] = Counter()
    for item in all_nodes(node):
        if type(item) not in _READING:
            continue
        if isinstance(item, ast.Name):
            if not isinstance(item.ctx, ast.Store):
                result[item.id] += 1
        elif isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name):
            result[item.target.id] += 1
    return result


@fact_of_syntax
def captured(function: ast.AST) -> frozenset[str]:
    """Names that functions and generator expressions in a function read or assign, maybe later, when they run."""
    names: set[str] = set()
    nodes = all_nodes(function)
    # A generator is finished if a function takes all of its members at once.
    taken = {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and _takes_all(node)}
    for node in nodes:
        if isinstance(node, ast.GeneratorExp) and node is not function and id(node) not in taken:
            names |= reads(node).keys() | set(assigned(node))
        elif isinstance(node, _FUNCTIONS) and node is not function:
            names |= reads(node).keys()
            names |= nonlocals(node)
    return frozenset(names)


@fact_of_syntax
def read_by_functions(comprehension: ast.AST) -> frozenset[str]:
    """Names that functions and generators in a comprehension read."""
    inner = (
        node
        for node in all_nodes(comprehension)
        if isinstance(node, (*_FUNCTIONS, ast.GeneratorExp)) and node is not comprehension
    )
    return frozenset(chain.from_iterable(reads(node) for node in inner))


def _takes_all(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _TAKING and bool(call.args)


_TAKING = frozenset(
    {"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}
)


@fact_of_syntax
def own_names(comprehension: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> frozenset[str]:
    """The variables of a comprehension."""
    return frozenset(
        node.id
        for part in comprehension.generators
        for node in all_nodes(part.target)
        if isinstance(node, ast.Name)
    )


@fact_of_syntax
def as_function(generator: ast.GeneratorExp) -> ast.FunctionDef:
    """A function with the same reads of names, and assignments of outer names, as a generator expression."""
    changed = list(assigned(generator))
    read = ast.Tuple([ast.Name(name, ast.Load()) for name in reads(generator)], ast.Load())
    body = [*([ast.Nonlocal(changed)] if changed else []), ast.Expr(read)]
    arguments = ast.arguments([], [], None, [], [], None, [])
    function = ast.FunctionDef(name="<genexpr>", args=arguments, body=body, decorator_list=[], returns=None)
    return ast.fix_missing_locations(ast.copy_location(function, generator))


_OF_KERNELS = frozenset({"reserve", "wait", "copy"})


@fact_of_syntax
def unused_kernel(operation: FunctionNode) -> ast.FunctionDef | None:
    """A function in an operation that looks like a kernel but is neither decorated nor used, or None."""
    if isinstance(operation, ast.Lambda):
        return None
    used = reads(operation)
    for node in operation.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.name in used:
            continue
        arguments = node.args
        if arguments.args or arguments.posonlyargs or arguments.kwonlyargs:
            continue
        if any(isinstance(item, ast.Attribute) and item.attr in _OF_KERNELS for item in all_nodes(node)):
            return node
    return None


def locate(node: ast.AST, at: ast.AST) -> None:
    """Give new nodes the location of the node that contains them, recursively."""
    if not hasattr(node, "lineno") and isinstance(node, ast.stmt | ast.expr):
        ast.copy_location(node, at)
    place = node if hasattr(node, "lineno") else at
    for child in ast.iter_child_nodes(node):
        locate(child, place)
