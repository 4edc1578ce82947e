"""Kernels: their processors and their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from xdsl.dialects.builtin import I64, ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.compute import attribute_of, value_of
from ttl.dialects.effects import RUNS
from ttl.dialects.kernel.declarations import InProgram, strings
from ttl.dialects.structure import with_block
from ttl.ir.syntax import word_of

Thread = Literal["tensix", "noc"]
Processor = Literal["ncrisc", "brisc"]


@irdl_op_definition
class KernelOp(IRDLOperation):
    """A kernel: the name of the user's function, its processor, and its arguments.

    ``common_args`` are ``address(a)``, ``noc_x(i)`` and ``noc_y(j)``; ``accessors`` are tensors, in the order of
    their compile-time arguments; ``config`` is the configuration of the compute engine.
    """

    name = "ttkernel.kernel"
    sym_name = prop_def(StringAttr)
    declared_name = word_of("sym_name", "The name of the function.")
    thread_attr = prop_def(StringAttr, prop_name="thread")
    thread = word_of("thread", "``tensix`` for the compute kernel, ``noc`` for data movement.")
    processor_attr = opt_prop_def(StringAttr, prop_name="processor")
    noc_attr = opt_prop_def(IntegerAttr[I64], prop_name="noc")
    common_args_attr = prop_def(ArrayAttr[StringAttr], prop_name="common_args")
    accessors_attr = prop_def(ArrayAttr[StringAttr], prop_name="accessors")
    config_attr = prop_def(DictionaryAttr, prop_name="config")
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), InProgram(), RUNS)

    def __init__(
        self,
        name: str,
        thread: Thread,
        body: Region,
        *,
        processor: Processor | None = None,
        noc: Literal[0, 1] | None = None,
        common_args: Sequence[str] = (),
        accessors: Sequence[str] = (),
        config: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "thread": StringAttr(thread),
                "processor": None if processor is None else StringAttr(processor),
                "noc": None if noc is None else IntegerAttr(noc, i64),
                "common_args": strings(common_args),
                "accessors": strings(accessors),
                "config": _config(config or {}),
            },
            regions=[with_block(body)],
        )

    kernel_name = declared_name

    @property
    def processor(self) -> str | None:
        """The data movement processor that runs the kernel."""
        return None if self.processor_attr is None else self.processor_attr.data

    @property
    def noc(self) -> int | None:
        """The network on chip that it uses."""
        return None if self.noc_attr is None else self.noc_attr.value.data

    @property
    def common_args(self) -> list[str]:
        """The arguments that all nodes share."""
        return [name.data for name in self.common_args_attr]

    @common_args.setter
    def common_args(self, entries: Sequence[str]) -> None:
        self.common_args_attr = strings(entries)

    @property
    def accessors(self) -> list[str]:
        """The tensors for which the kernel has accessors."""
        return [name.data for name in self.accessors_attr]

    @accessors.setter
    def accessors(self, names: Sequence[str]) -> None:
        self.accessors_attr = strings(names)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the compute engine: text, bool, or a list of names."""
        values = ((key, value_of(value)) for key, value in self.config_attr.data.items())
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values}

    @config.setter
    def config(self, values: Mapping[str, Any]) -> None:
        self.config_attr = _config(values)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        thread = parser.parse_identifier(" for the thread")
        processor = noc = None
        if parser.parse_optional_keyword("on"):
            processor = parser.parse_identifier(" for the processor")
        if parser.parse_optional_keyword("noc"):
            noc = parser.parse_integer(allow_boolean=False, allow_negative=False)
        common = _parse_texts(parser, "common")
        accessors = _parse_texts(parser, "accessors")
        config = parser.parse_optional_attr_dict() if parser.parse_optional_keyword("config") else {}
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(
            name.data,
            thread,  # type: ignore[arg-type]  # the verifier checks it
            parser.parse_region(),
            processor=processor,  # type: ignore[arg-type]
            noc=noc,  # type: ignore[arg-type]
            common_args=common,
            accessors=accessors,
        )
        op.config_attr = DictionaryAttr(config)
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.declared_name)
        printer.print_string(f" {self.thread}")
        if self.processor is not None:
            printer.print_string(f" on {self.processor}")
        if self.noc is not None:
            printer.print_string(f" noc {self.noc}")
        for word, texts in (("common", self.common_args), ("accessors", self.accessors)):
            if texts:
                printer.print_string(f" {word} [")
                printer.print_list(texts, printer.print_string_literal)
                printer.print_string("]")
        if self.config_attr.data:
            printer.print_string(" config")
            printer.print_op_attributes(self.config_attr.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        if self.thread not in ("tensix", "noc"):
            raise VerifyException(f"the thread of a kernel is tensix or noc, not {self.thread}")
        if self.processor not in (None, "ncrisc", "brisc"):
            raise VerifyException(f"the processor of a kernel is ncrisc or brisc, not {self.processor}")
        if self.noc not in (None, 0, 1):
            raise VerifyException(f"there are NoC 0 and NoC 1, not {self.noc}")
        if self.thread == "tensix" and (self.processor, self.noc) != (None, None):
            raise VerifyException("a compute kernel runs on no processor that moves data")
        if self.thread == "noc" and self.config_attr.data:
            raise VerifyException("a data movement kernel has no configuration")
        for what, entries in (("argument", self.common_args), ("accessor", self.accessors)):
            if len(set(entries)) != len(entries):
                raise VerifyException(f"an {what} is there twice: {', '.join(entries)}")


def kernel_of(op: Operation) -> KernelOp | None:
    """The kernel that contains an operation; None while its kernel is still one of the ``ttl`` dialect."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, KernelOp):
        parent = parent.parent_op()
    return parent


def _config(values: Mapping[str, Any]) -> DictionaryAttr:
    items = ((key, tuple(value) if isinstance(value, list) else value) for key, value in values.items())
    return DictionaryAttr({key: attribute_of(value) for key, value in items})


def _parse_texts(parser: Parser, word: str) -> list[str]:
    if parser.parse_optional_keyword(word) is None:
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
