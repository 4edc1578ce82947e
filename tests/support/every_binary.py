"""Binaries of examples, forms and small models, run strictly and beside the reference: what is doubted and what diverges, by corpus.

Those of single operations and of random modules: ``tests/ttmlir/end_to_end/test_every_operation.py``, ``test_random_modules.py``.

PYTHONPATH=tests nice -n 10 python -m support.every_binary
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType
from typing import Any

from support.ttmlir_models import ttnn_module
from tt_model.binaries.submission import system_of
from tt_model.runtime.problems import RuntimeProblem
from ttl.ir.failure import NotLegalized
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import Binary, load_binary_from_capsule
from ttrt.common.executions import execution_of
from ttrt.common.programs import initialised

ROOT = Path(__file__).resolve().parents[2]
LEAST = 0.98
# A binary by its name, and inputs where they are not drawn.
Named = tuple[str, Binary, Sequence[Any] | None]


def of_text(name: str, text: str, **options: Any) -> Iterator[Named]:
    """The binary of a module of TTIR; nothing where it is refused."""
    try:
        yield name, load_binary_from_capsule(ttnn_to_flatbuffer(ttnn_module(text, **options))), None
    except (NotLegalized, AssertionError):
        return  # refused, of which other tests speak


def optimized() -> Iterator[Named]:
    """Examples, as they are and through the optimizer."""
    for path in sorted((ROOT / "examples" / "models").glob("*.mlir")):
        if "tt_lang_op" in path.read_text():
            continue
        for options in ({}, {"enable_optimizer": True, "memory_layout_analysis_enabled": True}):
            yield from of_text(f"{path.stem} {len(options)}", path.read_text(), **options)


def _forms(room: str) -> Mapping[str, Any]:
    """The table in ``tests/ttmlir/ROOM/forms.py``: functions, and the arguments of several runs."""
    spec = spec_from_file_location(f"forms_of_{room}", ROOT / "tests" / "ttmlir" / room / "forms.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    forms: Mapping[str, Any] = module.FORMS
    return forms


def forms_of_torch() -> Iterator[Named]:
    """What models of PyTorch of today are written with."""
    import ttmlir.torch

    for name, (function, runs) in _forms("models").items():
        model = ttmlir.torch.compile(function, *runs[0])
        yield name, model.binary, model.program_inputs(*runs[0])


def forms_of_jax() -> Iterator[Named]:
    """What models of JAX of today are written with."""
    import ttmlir.jax
    from ttmlir.jax.arguments import to_device

    for name, (function, runs) in _forms("jax").items():
        model = ttmlir.jax.compile(function, *runs[0])
        yield name, model.binary, _given_to_jax(model, runs[0], to_device)


def zoo() -> Iterator[Named]:
    """The small models of docs/models.md."""
    import ttmlir
    import ttmlir.jax
    from ttmlir.jax.arguments import to_device

    sys.path.append(str(ROOT / "benchmarks"))
    from zoo import ENTRIES

    for entry in ENTRIES:
        if entry.is_real:
            continue
        model, inputs = entry.make()
        if entry.road == "JAX":
            compiled = ttmlir.jax.compile(model, *inputs)
            yield entry.name, compiled.binary, _given_to_jax(compiled, inputs, to_device)
        else:
            written = ttmlir.compile(model, *inputs)
            yield entry.name, written.binary, written.program_inputs(*inputs)


def _given_to_jax(model: Any, inputs: Any, to_device: Callable[..., Any]) -> list[Any]:
    import jax

    from ttmlir.compositions.dimensions import program_shape

    leaves, wanted = jax.tree.leaves(inputs), jax.tree.leaves(model.arguments)
    given = [
        to_device(one, like).reshape(program_shape(like.shape))
        for one, like in zip(leaves, wanted, strict=True)
    ]
    return [*given, *(to_device(one, one) for one in model.constants)]


CORPORA: Mapping[str, Callable[[], Iterator[Named]]] = MappingProxyType(
    {one.__name__: one for one in (optimized, forms_of_torch, forms_of_jax, zoo)}
)


def doubts(binary: Binary, given: Sequence[Any] | None) -> Iterator[str]:
    """What a strict run of the programs of a binary would refuse, and operations that differ from the reference by their own."""
    execution: Any = execution_of(binary, system_of(binary))
    for index in range(len(binary.programs)):
        program = execution.prepared(index)
        inputs = list(given) if given is not None else initialised(program, "randn", 0)
        if len(inputs) != len(program.inputs):
            own = iter(inputs)
            inputs = [
                program.stored[at] if at in program.stored else next(own) for at in range(len(program.inputs))
            ]
        check = execution.golden(index, inputs, use_stored=False, alone=True)
        try:
            _, report = execution.run(program, inputs, before=check.before, observe=check)
        except RuntimeProblem as problem:
            yield f"refused: {problem}"
            continue
        yield from (f"strict: {one}" for one in report.warnings)
        yield from (f"leak: {one}" for one in report.leaks)
        yield from (f"golden: {one.report(LEAST)}" for one in check.to_blame())
        if check.stopped:
            yield f"golden: {check.stopped}"


def counted(corpus: str) -> tuple[int, list[str]]:
    """How many binaries a corpus has, and what is doubted of them."""
    count, said = 0, []
    for name, binary, inputs in CORPORA[corpus]():
        count += 1
        said += [f"{corpus}: {name}: {one}" for one in doubts(binary, inputs)]
    return count, said


if __name__ == "__main__":
    for chosen in sys.argv[1:] or CORPORA:
        number, texts = counted(chosen)
        print(f"{chosen}: {number} binaries, {len(texts)} doubts", flush=True)
        for text, times in Counter(texts).most_common():
            print(f"  {times} x {text}"[:400], flush=True)
