"""The C++ of a module of ``emitc``, like that of ``mlir-translate --mlir-to-cpp``.

Expects: ``emitc``, functions and calls of ``func``, functions of one block. Values are called v1, v2, ... in the order
in which a function defines them. Where the tool of LLVM 19 prints invalid C++ or an empty statement, this printer does
not: see ``docs/ttmlir/cpp.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.emitc import EmitC_OpaqueAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttl.emitc.dialect import class_of
from ttl.emitc.expressions import (
    BINARY_OPERATORS,
    EXPRESSION,
    EXPRESSIONS,
    LOWEST,
    UNARY_OPERATORS,
    comparison,
    is_inlined,
    is_inlined_value,
    is_part_of_expression,
    level_of,
    root_of,
    text_of,
)
from ttl.emitc.spelling import attribute_text, declared, results_text, type_text
from ttl.ir.failure import NotLegalized
from ttl.ir.locations import span_of
from ttl.ir.refusals import Refused
from ttl.ir.reports import Report, about

_FILE, _FUNCTION, _GLOBAL, _CONSTANT = map(class_of, ("file", "func", "global", "constant"))
_LITERAL, _GET_GLOBAL, _SUBSCRIPT = map(class_of, ("literal", "get_global", "subscript"))
_MEMBER, _MEMBER_OF_POINTER = map(class_of, ("member", "member_of_ptr"))
_INDENT = "  "
# The operations that are written at their uses.
_DEFERRED = frozenset({"literal", "get_global", "subscript", "member", "member_of_ptr"})


def print_cpp(module: ModuleOp, *, file: str = "") -> str:
    """Return the C++ of a module. ``file`` is the id of the ``emitc.file`` whose content is printed, too.

    Raises ``NotLegalized`` for operations that cannot be printed.
    """
    printer = _ModulePrinter(file)
    printer.module(module)
    if printer.reports:
        raise NotLegalized(printer.reports)
    return printer.text()


class _ModulePrinter:
    """The text under construction.

    An operation that cannot be printed becomes a report, and printing continues after it.
    """

    def __init__(self, file: str) -> None:
        self.reports: list[Report] = []
        self._file = file
        self._lines: list[str] = []
        self._depth = 0
        self._names: dict[SSAValue, str] = {}
        self._count = 0
        # The precedence of the operators around an expression of an ``emitc.expression``, from the outermost on.
        self._around: list[int] = []

    def text(self) -> str:
        """The text printed so far."""
        return "".join(f"{line}\n" for line in self._lines)

    def module(self, module: ModuleOp) -> None:
        """Print all operations of a module, or of a module in it."""
        for op in module.body.block.ops:
            self._top(op)
        self._line("")

    def _line(self, text: str) -> None:
        for line in text.split("\n"):
            self._lines.append(f"{_INDENT * self._depth}{line}" if line else "")

    def _top(self, op: Operation) -> None:
        try:
            if isinstance(op, ModuleOp):
                self.module(op)
            elif isinstance(op, _FILE):
                if self._file and text_of(op, "id") == self._file:
                    for inner in op.regions[0].block.ops:
                        self._top(inner)
            elif isinstance(op, (FuncOp, _FUNCTION)):
                self._function(op)
            elif isinstance(op, _GLOBAL):
                self._line(f"{self._global(op)};")
            else:
                self._statement(op)
        except Refused as problem:
            self._refuse(op, problem)

    def _refuse(self, op: Operation, problem: Refused) -> None:
        way_out = Report(message=problem.way_out, severity="note", span=span_of(op))
        self.reports.append(about(op, f"'{op.name}' op {problem.condition}", way_out))
        for result in op.results:
            self._names[result] = ""  # so that its uses give no further reports

    # Functions and globals.

    def _function(self, op: Operation) -> None:
        region = op.regions[0]
        if not region.blocks:
            self._line(f"{self._signature(op)};")
            return
        if len(region.blocks) > 1:
            raise Refused(
                "has several blocks, and C++ of them needs labels",
                "what works: emitc.for, emitc.if and one block",
            )
        outer, self._names, self._count = self._names, {}, 0
        self._line(f"{self._signature(op)} {{")
        self._body(region.block, all_of_it=True)
        self._line("}")
        self._line("")
        self._names = outer

    def _signature(self, op: Operation) -> str:
        type_ = op.properties.get("function_type")
        if not isinstance(type_, FunctionType):
            raise Refused(f"has the type {type_}", "what works: a function type")
        specifiers = op.properties.get("specifiers")
        words = (
            [word.data for word in specifiers if isinstance(word, StringAttr)]
            if isinstance(specifiers, ArrayAttr)
            else []
        )
        if op.regions[0].blocks:
            parameters = [
                declared(argument.type, self._fresh(argument)) for argument in op.regions[0].block.args
            ]
        else:
            parameters = [type_text(argument) for argument in type_.inputs]
        name = text_of(op, "sym_name")
        return f"{''.join(f'{word} ' for word in words)}{results_text(type_)} {name}({', '.join(parameters)})"

    def _declaration(self, op: Operation) -> str:
        name = op.properties.get("sym_name")
        if not isinstance(name, SymbolRefAttr):
            raise Refused(f"declares {name}", "what works: the symbol of a function")
        function = next(
            (
                one
                for one in (op.parent.ops if op.parent is not None else ())
                if isinstance(one, _FUNCTION) and one.properties.get("sym_name") == name.root_reference
            ),
            None,
        )
        if function is None:
            raise Refused(
                f"declares '{name.root_reference.data}', which is not an emitc.func of the module",
                "what works: the name of one",
            )
        outer, self._names, self._count = self._names, {}, 0
        text = self._signature(function)
        self._names = outer
        return f"{text};"

    def _global(self, op: Operation) -> str:
        words = [
            word.split("_")[0]
            for word in ("extern_specifier", "static_specifier", "const_specifier")
            if word in op.properties
        ]
        text = " ".join([*words, declared(op.properties["type"], text_of(op, "sym_name"))])
        initial = op.properties.get("initial_value")
        return text if initial is None else f"{text} = {attribute_text(initial)}"

    # Statements.

    def _body(self, block: Block, *, all_of_it: bool = False) -> None:
        self._depth += 1
        for op in block.ops:
            if all_of_it or op is not block.last_op:
                try:
                    self._statement(op)
                except Refused as problem:
                    self._refuse(op, problem)
        self._depth -= 1

    def _statement(self, op: Operation) -> None:
        dialect, _, name = op.name.partition(".")
        if dialect == "func" and name in ("call", "return", "constant"):
            self._line(f"{self._function_statement(op, name)};")
            return
        if dialect != "emitc":
            raise Refused(
                "unable to find printer for op",
                "what works: operations of emitc, and func.func, func.call and func.return; convert the others first",
            )
        if name in _DEFERRED or (name == "expression" and is_inlined(op)):
            return
        match name:
            case "for":
                self._for(op)
            case "if":
                self._if(op)
            case "switch":
                self._switch(op)
            case "include":
                self._line(self._include(op))
            case "verbatim":
                self._line(self._verbatim(op))
            case "declare_func":
                self._line(self._declaration(op))
            case "return":
                self._line(" ".join(["return", *map(self._use, op.operands)]) + ";")
            case "yield":
                pass
            case "assign":
                self._line(f"{self._use(op.operands[0])} = {self._use(op.operands[1])};")
            case "variable" | "constant":
                self._line(f"{self._variable(op)};")
            case "expression":
                self._line(f"{self._assigned(op)}{self._expression(root_of(op))};")
            case _ if name in EXPRESSIONS:
                text = self._operation(op)
                self._line(f"{self._assigned(op)}{text};")
            case _:
                raise Refused(
                    "unable to find printer for op",
                    "what works: the operations that `docs/ttmlir/cpp.md` lists",
                )

    def _function_statement(self, op: Operation, name: str) -> str:
        if name == "return":
            if len(op.operands) > 1:
                return f"return std::make_tuple({', '.join(map(self._use, op.operands))})"
            return " ".join(["return", *map(self._use, op.operands)])
        if name == "constant":
            text = attribute_text(op.properties["value"])
            return f"{self._assigned(op)}{text}"
        return self._called(op)

    def _called(self, op: Operation) -> str:
        callee = op.properties["callee"]
        text = f"{attribute_text(callee)}({', '.join(map(self._use, op.operands))})"
        return f"{self._assigned(op)}{text}"

    def _assigned(self, op: Operation) -> str:
        """Return the text before the value of an operation: the declaration of its result."""
        if not op.results:
            return ""
        if len(op.results) == 1:
            return f"{declared(op.results[0].type, self._fresh(op.results[0]))} = "
        for result in op.results:
            self._line(f"{declared(result.type, self._fresh(result))};")
        return f"std::tie({', '.join(map(self._name, op.results))}) = "

    def _variable(self, op: Operation) -> str:
        (result,) = op.results
        text = declared(result.type, self._fresh(result))
        value = op.properties["value"]
        if isinstance(value, EmitC_OpaqueAttr) and not value.value.data:
            if isinstance(op, _CONSTANT):
                raise Refused("has no value", "what works: a value, or emitc.variable")
            return text
        return f"{text} = {attribute_text(value)}"

    def _include(self, op: Operation) -> str:
        name = text_of(op, "include")
        return f"#include <{name}>" if "is_standard_include" in op.properties else f'#include "{name}"'

    def _verbatim(self, op: Operation) -> str:
        text = text_of(op, "value")
        if not op.operands:
            return text
        # With operands, each pair of braces stands for an operand, and a literal brace is doubled.
        pieces, operands, position = [], iter(op.operands), 0
        while position < len(text):
            pair = text[position : position + 2]
            if pair in ("{}", "{{"):
                pieces.append(self._use(next(operands)) if pair == "{}" else "{")
                position += 2
                continue
            pieces.append(text[position])
            position += 1
        return "".join(pieces)

    def _for(self, op: Operation) -> None:
        first, end, step = op.operands[:3]
        start = self._use(first)
        counter = op.regions[0].block.args[0]
        name = self._fresh(counter)
        bound = f"({self._use(end)})" if is_inlined_value(end) else self._use(end)
        self._line(
            f"for ({type_text(counter.type)} {name} = {start}; {name} < {bound}; {name} += {self._use(step)}) {{"
        )
        self._body(op.regions[0].block)
        self._line("}")

    def _if(self, op: Operation) -> None:
        then, otherwise = op.regions
        self._line(f"if ({self._use(op.operands[0])}) {{")
        self._body(then.block)
        if otherwise.blocks:
            self._line("} else {")
            self._body(otherwise.block)
        self._line("}")

    def _switch(self, op: Operation) -> None:
        default, *cases = op.regions
        values = op.properties["cases"]
        self._line(f"switch ({self._use(op.operands[0])}) {{")
        for value, region in zip(values.get_values(), cases, strict=True):  # type: ignore[attr-defined]
            self._case(f"case {value}: {{", region.block)
        self._case("default: {", default.block)
        self._line("}")

    def _case(self, head: str, block: Block) -> None:
        self._line(head)
        self._body(block)
        self._depth += 1
        self._line("break;")
        self._depth -= 1
        self._line("}")

    # Values.

    def _fresh(self, value: SSAValue) -> str:
        self._count += 1
        self._names[value] = f"v{self._count}"
        return self._names[value]

    def _name(self, value: SSAValue) -> str:
        known = self._names.get(value)
        if known is not None:
            return known
        owner = value.owner
        if isinstance(owner, _LITERAL):
            return text_of(owner, "value")
        if isinstance(owner, _GET_GLOBAL):
            return attribute_text(owner.properties["name"])
        if isinstance(owner, _SUBSCRIPT):
            array, *indices = owner.operands
            return f"{self._use(array)}{''.join(f'[{self._use(index)}]' for index in indices)}"
        if isinstance(owner, _MEMBER):
            return f"{self._use(owner.operands[0])}.{text_of(owner, 'member')}"
        if isinstance(owner, _MEMBER_OF_POINTER):
            return f"{self._use(owner.operands[0])}->{text_of(owner, 'member')}"
        raise Refused(
            "uses a value that has no name",
            "what works: values that are defined before, by operations that have a form",
        )

    def _use(self, value: SSAValue) -> str:
        """The text of a value at a use."""
        owner = value.owner
        if self._around and isinstance(owner, Operation) and is_part_of_expression(owner):
            level = level_of(owner)
            needs = level <= self._around[-1]
            text = self._expression(owner, LOWEST if needs else level)
            return f"({text})" if needs else text
        if isinstance(owner, EXPRESSION) and is_inlined(owner):
            return self._expression(root_of(owner))
        if not isinstance(owner, Operation) and isinstance(owner.parent_op(), Operation):
            around = owner.parent_op()
            if isinstance(around, EXPRESSION):
                # In later versions of the dialect, an argument of the region represents an operand.
                return self._use(around.operands[value.index])  # type: ignore[attr-defined]
        return self._name(value)

    @contextmanager
    def _inside(self, level: int) -> Iterator[None]:
        self._around.append(level)
        yield
        self._around.pop()

    def _expression(self, op: Operation, level: int | None = None) -> str:
        with self._inside(level_of(op) if level is None else level):
            return self._operation(op)

    def _operation(self, op: Operation) -> str:
        """Return the text to the right of an operation's equals sign."""
        name = op.name.removeprefix("emitc.")
        if name in BINARY_OPERATORS:
            a, b = map(self._use, op.operands)
            return f"{a} {BINARY_OPERATORS[name][0]} {b}"
        if name in UNARY_OPERATORS:
            return f"{UNARY_OPERATORS[name]}{self._use(op.operands[0])}"
        match name:
            case "apply":
                return f"{text_of(op, 'applicableOperator')}{self._use(op.operands[0])}"
            case "cast":
                return f"({type_text(op.results[0].type)}) {self._use(op.operands[0])}"
            case "cmp":
                a, b = map(self._use, op.operands)
                return f"{a} {comparison(op)[0]} {b}"
            case "conditional":
                condition, then, otherwise = map(self._use, op.operands)
                return f"{condition} ? {then} : {otherwise}"
            case "load":
                return self._use(op.operands[0])
            case "literal":
                return text_of(op, "value")
            case "call":
                return f"{attribute_text(op.properties['callee'])}({', '.join(map(self._argument, op.operands))})"
        if name == "call_opaque":
            return self._opaque_call(op)
        raise Refused(
            "is not an expression", "what works in emitc.expression: operators, casts, calls and loads"
        )

    def _argument(self, value: SSAValue) -> str:
        if not self._around:
            return self._use(value)
        with self._inside(LOWEST):
            return self._use(value)

    def _opaque_call(self, op: Operation) -> str:
        template = op.properties.get("template_args")
        words = [attribute_text(one) for one in template] if isinstance(template, ArrayAttr) else []
        arguments = op.properties.get("args")
        if isinstance(arguments, ArrayAttr):
            given = [self._opaque_argument(op, one) for one in arguments]
        else:
            given = list(map(self._argument, op.operands))
        applied = f"<{', '.join(words)}>" if words else ""
        return f"{text_of(op, 'callee')}{applied}({', '.join(given)})"

    def _opaque_argument(self, op: Operation, attribute: Attribute) -> str:
        if isinstance(attribute, IntegerAttr) and isinstance(attribute.type, IndexType):
            position = attribute.value.data
            if not 0 <= position < len(op.operands):
                raise Refused(
                    f"has argument {position}, and {len(op.operands)} operands",
                    "what works: the number of an operand, from 0",
                )
            return self._argument(op.operands[position])
        return attribute_text(attribute)
