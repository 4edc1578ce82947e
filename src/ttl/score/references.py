"""Reference functions, which compute expected results: of a ``--reference`` file or a program; neither is executed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ttl.diag import ProgramError, error
from ttl.source.files import check_finite, display_name
from ttl.source.parsing import parse

ReferenceKind = Literal["given", "declared", "compared"]
"""``given``: a file that the caller names; ``declared``: a function of the program; ``compared``: arrays with which the
program compares its results."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreReference:
    """The reference functions in one file."""

    kind: ReferenceKind
    file: str = ""
    functions: tuple[str, ...] = ()
    """The functions of the file that are references."""
    only: str | None = None
    """The only function to use, if the caller names one."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The shapes of tensors, by name, that the call must have."""
    has_inputs: bool = False

    def function_for(self, operation: str) -> str | None:
        """The function for an operation: its own, else ``reference``; None if neither exists.

        If the caller names a function (``only``), it is that one; None if its name is that of another operation.
        """
        if self.only is not None:
            own = self.only.removesuffix("_reference")
            general = own in ("reference", self.only)
            return self.only if general or own.strip("_") == operation.strip("_") else None
        own = f"{operation.strip('_')}_reference"
        if own in self.functions:
            return own
        return "reference" if "reference" in self.functions else None


def given_reference(text: str) -> ScoreReference:
    """The reference of ``--reference FILE[:FUNCTION]``. Raises ``ProgramError`` TTL0129."""
    file, colon, function = text.rpartition(":")
    if not colon or not function.isidentifier():
        file, function = text, ""
    try:
        check_finite(file)
        with open(file, encoding="utf-8") as opened:
            tree = parse(opened.read(), file)
    except OSError as problem:
        raise _unusable(text, (problem.strerror or str(problem)).lower()) from None
    except (SyntaxError, ValueError) as problem:
        raise _unusable(text, f"it is not Python: {problem}") from None
    names = _functions(tree)
    if function and function not in names:
        raise _unusable(text, f"it has no function {function}")
    functions = tuple(name for name in names if name == "reference" or name.endswith("_reference"))
    if not function and not functions:
        raise _unusable(text, "it has no function 'reference' or 'OPERATION_reference'")
    return ScoreReference(
        kind="given",
        file=file,
        functions=functions,
        only=function or None,
        shapes=_shapes(text, tree),
        has_inputs="inputs" in names,
    )


def declared_reference(file: str, text: str, operations: Sequence[str]) -> ScoreReference | None:
    """The reference functions of a program, or None."""
    names = _functions(parse(text, file))
    wanted = {"reference", *(f"{operation.strip('_')}_reference" for operation in operations)}
    functions = tuple(name for name in names if name in wanted)
    return ScoreReference(kind="declared", file=file, functions=functions) if functions else None


def _functions(tree: ast.Module) -> list[str]:
    return [statement.name for statement in tree.body if isinstance(statement, ast.FunctionDef)]


def _shapes(text: str, tree: ast.Module) -> dict[str, tuple[int, ...]]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name("SHAPES")], value=value):
                try:
                    shapes: dict[str, Any] = ast.literal_eval(value)
                    return {
                        str(name): tuple(int(extent) for extent in shape) for name, shape in shapes.items()
                    }
                except (ValueError, TypeError, AttributeError):
                    raise _unusable(
                        text, "SHAPES is not a dictionary of names and shapes, written out"
                    ) from None
    return {}


def _unusable(text: str, why: str) -> ProgramError:
    return unusable(
        text,
        why,
        "--reference takes a Python file with a function 'reference', whose parameters are tensors of the operation and whose result is what it has to write",
    )


def unusable(text: str, why: str, help: str) -> ProgramError:
    """The error for a file of references or best cycles that cannot be used (TTL0129)."""
    return ProgramError(error("TTL0129", f"cannot use '{display_name(text)}': {why}", help=help))
