"""Every option of every pass and pipeline does something that can be seen, or says that it does nothing."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import pytest

from support.ttmlir_programs import ALIASES, T, function, operation
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.transforms.pipelines import TTIRToEmitCPipeline, TTIRToTTNNBackendPipeline

_SHAPE = "128x128xbf16"
_ON = "enable-optimizer=true"
_ANALYSED = f"{_ON} memory-layout-analysis-enabled=true"
_NAMED = "\n".join(
    operation(f"%{index}", word, source, [_SHAPE], _SHAPE, T, location=f'loc("{name}")')
    for index, (name, word, source) in enumerate(
        (("a", "relu", "%a"), ("b", "sigmoid", "%0"), ("c", "exp", "%1"))
    )
)
CHAIN = ALIASES + function(f"%a: tensor<{_SHAPE}>", _SHAPE, _NAMED, "%2")
PAIR = ALIASES + function(
    "%a: tensor<64x64xf32>", "64x64xf32", operation("%0", "exp", "%a", ["64x64xf32"], "64x64xf32", T), "%0"
)
KERNEL = """func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.tt_lang_op"(%x, %0) <{kernel_id = "nowhere_at_all.f::v1", version_tag = "1", arg_roles = "in,out", shard_spec = ""}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}"""
TRANSPOSED = """func.func @main(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = tensor.empty() : tensor<64x32xf32>
  %1 = "ttir.transpose"(%x, %0) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = [#t, #t]}> : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = tensor.empty() : tensor<64x32xf32>
  %3 = "ttir.exp"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#t, #t]}> : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %4 = tensor.empty() : tensor<32x64xf32>
  %5 = "ttir.transpose"(%3, %4) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = [#t, #t]}> : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %5 : tensor<32x64xf32>
}""".replace("#t", "#tt.operand_constraint<dram|l1|tile|any_device_tile>")
ARITH = "func.func @main() -> tensor<4xf32> { %0 = arith.constant dense<1.0> : tensor<4xf32> return %0 : tensor<4xf32> }"
COMPOSITE = """module {
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"""
DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  return %x : tensor<4xf32>
}"""
_DEVICE = "--ttir-load-system-desc --ttir-implicit-device"
_TO_TTNN = f"{_DEVICE} --ttnn-layout --convert-ttir-to-ttnn --remove-dead-values"
_OVERRIDDEN = "override-output-layout=b=4x1:l1:height_sharded:tile:bf16"


@dataclass(frozen=True)
class Shown:
    """An option, after what the same has without it. ``before`` are passes that run first."""

    option: str
    text: str = CHAIN
    others: str = ""
    before: str = ""


OPTIMIZER = {
    "insert_memreconfig": Shown("insert-memreconfig=b=0", others=f"{_ANALYSED} {_OVERRIDDEN}"),
    "override_output_layout": Shown(_OVERRIDDEN, others=_ON),
    "memory_layout_analysis_enabled": Shown("memory-layout-analysis-enabled=true", others=_ON),
    "memreconfig_enabled": Shown("memreconfig-enabled=false", others=f"{_ANALYSED} {_OVERRIDDEN} insert-memreconfig=b=0"),
    "memory_layout_analysis_policy": Shown("memory-layout-analysis-policy=L1Interleaved", others=_ANALYSED),
    "max_legal_layouts": Shown("max-legal-layouts=0", others=_ANALYSED),
}  # fmt: skip
PIPELINE = {
    "enable_optimizer": Shown(_ON),
    **OPTIMIZER,
    "system_desc_path": Shown("system-desc-path=n150"),
    "mesh_shape": Shown("mesh-shape=1,2", others="system-desc-path=n300"),
    "resolve_tt_lang_kernels": Shown("resolve-tt-lang-kernels=true", KERNEL),
    "allow_tt_lang": Shown("allow-tt-lang=nowhere_at_all", KERNEL, "resolve-tt-lang-kernels=true"),
    "tt_lang_python_module": Shown("tt-lang-python-module=nobody", KERNEL, "resolve-tt-lang-kernels=true"),
    "tt_lang_python_function": Shown("tt-lang-python-function=none", KERNEL, "resolve-tt-lang-kernels=true"),
    "lower_tt_lang_to_generic": Shown("lower-tt-lang-to-generic=true", KERNEL),
    "propagate_transposes": Shown("propagate-transposes=true", TRANSPOSED),
}
_LAID_OUT = f"{_DEVICE} --ttir-constant-as-fill --ttir-generic"
SHOWN: dict[str, dict[str, Shown]] = {
    "ttir-load-system-desc": {"path": Shown("path=n300")},
    "ttir-implicit-device": {"mesh_shape": Shown("mesh-shape=1,2", before="--ttir-load-system-desc=path=n300")},
    "ttnn-optimizer": {
        name: Shown(shown.option, shown.text, shown.others.replace(_ON, "").strip(), _TO_TTNN)
        for name, shown in OPTIMIZER.items()
    },
    "ttnn-resolve-tt-lang-kernels": {
        "python_module": Shown("python-module=nobody", KERNEL, before=_TO_TTNN),
        "python_function": Shown("python-function=none", KERNEL, before=_TO_TTNN),
        "allow_tt_lang": Shown("allow-tt-lang=nowhere_at_all", KERNEL, before=_TO_TTNN),
    },
    "ttir-layout": {
        "init_memory_space": Shown("init-memory-space=l1", PAIR, before=_LAID_OUT),
        "default_memory_space": Shown("default-memory-space=l1", PAIR, before=_LAID_OUT),
        "default_device_memory_layout": Shown("default-device-memory-layout=none", PAIR, before=_LAID_OUT),
    },
    "ttir-to-ttl": {"output": Shown("output=other.py"), "fuse": Shown("fuse=false", others="output=k.py")},
    "convert-ttnn-to-emitc": {"api": Shown("api=0.81", before=_TO_TTNN)},
    "ttir-to-ttnn-backend-pipeline": PIPELINE,
    "ttir-to-emitc-pipeline": PIPELINE
    | {"api": Shown("api=0.81"), "enable_optimizer": Shown(_ON, others=_OVERRIDDEN)},
    "ttir-to-ttmetal-backend-pipeline": {
        "system_desc_path": Shown("system-desc-path=n150", PAIR),
        "mesh_shape": Shown("mesh-shape=1,2", PAIR, "system-desc-path=n300"),
    },
    "stablehlo-to-ttir-pipeline": {
        "enable_arith_to_stablehlo": Shown("enable-arith-to-stablehlo=false", ARITH),
        "enable_composite_to_call": Shown("enable-composite-to-call=false", COMPOSITE),
        "enable_remove_dead_values": Shown("enable-remove-dead-values=false", DEAD),
    },
}  # fmt: skip
# What is told to a resolver of one's own: ``tests/ttmlir/tt_lang/test_mesh.py`` shows it.
TOLD = {("ttnn-resolve-tt-lang-kernels", "mesh_shape")}


def run(line: str, text: str) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(split(line), io.StringIO(text), output, errors)
    return status, output.getvalue(), errors.getvalue()


def split(line: str) -> list[str]:
    """The words of a line, of which each begins with two dashes."""
    return [f"--{word.strip()}" for word in line.split("--") if word.strip()]


def test_every_option_is_decided() -> None:
    options = {
        (kind.name, field.name)
        for kind in (*TTMLIR_OPT.passes, *TTMLIR_OPT.pipelines.values())
        if is_dataclass(kind)
        for field in fields(kind)
        if field.name != "name"
    }
    assert options == {(name, option) for name, shown in SHOWN.items() for option in shown} | TOLD


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name, shown in SHOWN.items() for option in shown]
)
def test_an_option_can_be_seen(
    name: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = SHOWN[name][option]

    def seen(options: str) -> tuple[int, str, str]:
        for path in tmp_path.iterdir():
            path.unlink()
        status, output, errors = run(f"{shown.before} --{name}={options}", shown.text)
        assert f"{shown.option} has no effect" not in errors
        made = "".join(f"{path.name}\n{path.read_text()}" for path in sorted(tmp_path.iterdir()))
        return status, output + made, errors

    assert seen(f"{shown.others} {shown.option}") != seen(shown.others)


@pytest.mark.parametrize("pipeline", [TTIRToTTNNBackendPipeline.name, TTIRToEmitCPipeline.name])
@pytest.mark.parametrize("option", OPTIMIZER)
def test_options_of_the_optimizer_where_it_does_not_run(pipeline: str, option: str) -> None:
    shown = OPTIMIZER[option]
    status, output, errors = run(f"--{pipeline}={shown.option}", CHAIN)
    assert status == 0
    assert output == run(f"--{pipeline}", CHAIN)[1]
    assert errors == f"<unknown>:0: warning: {shown.option} has no effect: add enable-optimizer=true\n"


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (f"--ttir-to-ttnn-backend-pipeline={_ON} max-legal-layouts=3", CHAIN, "max-legal-layouts=3 has no effect: memory-layout-analysis-enabled is false"),
        (f"--ttir-to-ttnn-backend-pipeline={_ON} memory-layout-analysis-policy=L1Interleaved", CHAIN, "memory-layout-analysis-policy=L1Interleaved has no effect: memory-layout-analysis-enabled is false"),
        (f"--ttir-to-ttnn-backend-pipeline={_ANALYSED} memory-layout-analysis-policy=L1Interleaved max-legal-layouts=3", CHAIN, "max-legal-layouts=3 has no effect: the policy is L1Interleaved"),
        (f"--ttir-to-ttnn-backend-pipeline={_ON} insert-memreconfig=b=0", CHAIN, "insert-memreconfig=b=0 has no effect: memory-layout-analysis-enabled is false"),
        ("--ttir-to-ttnn-backend-pipeline=memory-layout-analysis-policy=DFSharding", CHAIN, "memory-layout-analysis-policy=DFSharding has no effect: add enable-optimizer=true"),
        ("--ttir-to-ttnn-backend-pipeline=max-legal-layouts=64", CHAIN, "max-legal-layouts=64 has no effect: add enable-optimizer=true"),
        ("--ttir-to-ttnn-backend-pipeline=tt-lang-python-module=x", KERNEL, "tt-lang-python-module=x has no effect: add resolve-tt-lang-kernels=true"),
        ("--ttir-load-system-desc=path=n300 --ttir-implicit-device --ttir-implicit-device=mesh-shape=1,2", CHAIN, "mesh-shape=1,2 has no effect: the module has a tt.device of one chip, which is not replaced"),
        ("--mlir-pretty-debuginfo", CHAIN, "--mlir-pretty-debuginfo has no effect: locations are printed in one form"),
        ("--mlir-print-stacktrace-on-diagnostic", CHAIN, "--mlir-print-stacktrace-on-diagnostic has no effect"),
    ],
)  # fmt: skip
def test_an_option_without_effect_is_said(line: str, text: str, said: str) -> None:
    status, _, errors = run(line, text)
    assert status == 0
    assert f"warning: {said}" in errors
