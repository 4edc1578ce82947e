"""Flags and environment variables of other tools for TT-Lang, with the means that do the same here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SHARED = (
    "dataflow buffers share indices and memory by themselves where that is proved right; "
    "'ttl compile --explain' lists what a node has"
)
INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "TTLANG_COMPILE_ONLY": "'ttl compile PROGRAM' compiles and runs nothing",
        "TTLANG_INITIAL_MLIR": "'ttl compile --emit ttl -o FILE PROGRAM' writes the IR of the language",
        "TTLANG_FINAL_MLIR": "'ttl compile --emit ttkernel -o FILE PROGRAM' writes the IR of the chip",
        "TTLANG_AUTO_PROFILE": "'ttl profile PROGRAM' says line by line where the cycles go",
        "--backend": "'ttl run --target emu PROGRAM' runs the compiled kernels on an emulated chip",
        "--cycles": "'ttl profile PROGRAM' counts the cycles of the emulated chip",
        "--ttl-accumulation-strategy": "sums stay in registers where they fit; '--compile-option accumulation=packer' lets the packer add up in L1, 'auto' where they do not fit",
        "--ttl-strict-f32-acc": 'options="--ttl-strict-f32-acc" of an operation refuses sums that the chip would round at each step',
        "--ttl-compiler-dfbs": "the compiler always adds the buffers that it needs; 'ttl compile --explain' lists them",
        "--ttl-reuse-user-dfbs": _SHARED,
        "--ttl-memory-model": _SHARED,
        "--ttl-unsafe-assume-allocation-groups": "groups are always proved; where the proof fails, 'ttl check' shows both uses",
    }
)
"""The advice for each flag or environment variable of another tool."""
PREFIX = "TTLANG_"
"""The prefix of other tools' variables."""
