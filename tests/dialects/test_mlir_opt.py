"""The generic form is MLIR: an independent ``mlir-opt`` reads it, checks it and runs its passes over it.

It is looked for in PATH and in ``TTL_MLIR_OPT``; where there is none these tests are skipped. Debian has one in
``mlir-19-tools``.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from support.dialect_examples import module_with
from support.kernel_examples import module_with as module_with_kernel
from support.kernel_examples import module_with_calls
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import STRUCTURE
from ttl.dialects.ttl import OPERATIONS
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify

NAMES = ("mlir-opt", "mlir-opt-22", "mlir-opt-19")
MLIR_OPT = os.environ.get("TTL_MLIR_OPT") or next(filter(None, map(shutil.which, NAMES)), None)

pytestmark = [
    pytest.mark.mlir,
    pytest.mark.skipif(MLIR_OPT is None, reason="no mlir-opt in PATH and TTL_MLIR_OPT is not set"),
]


def mlir_opt(text: str, *flags: str) -> str:
    """What ``mlir-opt`` prints; it must accept the text."""
    assert MLIR_OPT is not None
    done = subprocess.run(
        [MLIR_OPT, "--allow-unregistered-dialect", *flags],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def all_examples() -> str:
    """One module with every operation, in the generic form, with locations."""
    pieces = []
    for kind in OPERATIONS:
        module = parse_module(module_with(kind), allow_unregistered=True)
        pieces.append(print_module(module, generic=True, locations=True))
    return "\n// -----\n".join(pieces)


def test_every_operation_is_accepted_and_comes_back() -> None:
    printed = mlir_opt(
        all_examples(), "--split-input-file", "--mlir-print-op-generic", "--mlir-print-debuginfo"
    )
    pieces = printed.split("// -----")
    assert len(pieces) == len(OPERATIONS)
    for kind, piece in zip(OPERATIONS, pieces, strict=True):
        given = parse_module(module_with(kind), allow_unregistered=True)
        back = parse_module(piece, allow_unregistered=True)
        assert verify(back) == [], kind.name
        assert back.is_structurally_equivalent(given), kind.name


def test_kernels_are_accepted_and_come_back() -> None:
    """The ``ttkernel`` dialect: its structure, and every call of the kernel API."""
    given = [parse_module(module_with_calls("tensix")), parse_module(module_with_calls("noc"))]
    given += [parse_module(module_with_kernel(kind)) for kind in STRUCTURE]
    text = "\n// -----\n".join(print_module(each, generic=True, locations=True) for each in given)
    printed = mlir_opt(text, "--split-input-file", "--mlir-print-op-generic", "--mlir-print-debuginfo")
    pieces = [parse_module(piece) for piece in printed.split("// -----")]
    assert len(pieces) == len(given)
    for piece, module in zip(pieces, given, strict=True):
        assert verify(piece) == []
        assert piece.is_structurally_equivalent(module)


def test_its_passes_run_over_control_flow_around_our_operations() -> None:
    text = """
        ttl.operation @f() grid <1x1> {
          %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
          ttl.compute_kernel @compute {
            affine.for %i = 0 to 2 {
              %blk = ttl.dfb_wait %a_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
              ttl.dfb_pop %blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
            }
          }
        }
    """
    generic = print_module(parse_module(text), generic=True)
    unrolled = mlir_opt(generic, "--lower-affine", "--canonicalize", "--cse", "--mlir-print-op-generic")
    module = parse_module(unrolled)
    assert verify(module) == []
    kinds = [op.name for op in module.walk()]
    assert kinds.count("scf.for") == 1
    assert "affine.for" not in kinds


def test_it_refuses_what_we_refuse() -> None:
    """It is a judge: a use before its definition is an error for it as well."""
    text = """
        "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
          "ttl.print"(%i) <{pieces = ["", ""]}> : (index) -> ()
          %i = "arith.constant"() <{value = 0 : index}> : () -> index
          "func.return"() : () -> ()
        }) : () -> ()
    """
    assert [report.message for report in verify(parse_module(text))] == [
        "operand #0 does not dominate this use"
    ]
    with pytest.raises(AssertionError, match="does not dominate"):
        mlir_opt(text)
