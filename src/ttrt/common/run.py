"""``ttrt run``: run binaries, and compare their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tt_model.flatbuffer.files import FlatbufferError
from tt_model.layouts.kernel_permissions import allowed, module_names
from tt_model.layouts.kernel_request import COLLECTIVE_TARGETS, TARGETS
from tt_model.layouts.values import LayoutError
from tt_model.runtime.distribution import MeshShards
from tt_model.runtime.executor import PreparedProgram
from tt_model.runtime.host_memory import bytes_of
from tt_model.runtime.input_files import read_inputs
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tt_lang import kernel_call
from ttl.session.patience import Unavailable
from ttrt.binary import Binary, load_binary_from_path
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.executions import AnyCheck, AnyReport, BinaryExecution, execution_of
from ttrt.common.fitting import said
from ttrt.common.golden import GoldenCheck, blame
from ttrt.common.problems import Divergence, Mismatch, wrong_option
from ttrt.common.programs import (
    INITIALISERS,
    RANDOM,
    ProgramOfBinary,
    RunProgress,
    check_program_options,
    check_version,
    cut_inputs,
    golden_inputs,
    initialised,
    program_indices,
    system_for,
    whole,
)
from ttrt.common.query import SIM_FLAG
from ttrt.common.util import BINARIES, binaries_at, result_entry, save_results

if TYPE_CHECKING:
    import torch

    from ttrt.common.metal_report import MetalReportFile

PROGRAM_FLAGS = (
    Flag(name="--program-index", default="all", help="which program: all, or a number"),
    Flag(name="--loops", default=1, help="how often each program is run"),
)
# Code that a file names or contains runs only if the user allows it.
ALLOW_FLAGS = (
    Flag(
        name="--allow-tt-lang",
        default="",
        help="modules of Python that operations of TT-Lang in the file may import, with commas between them",
    ),
    Flag(
        name="--allow-kernel-source",
        default=False,
        help="let the emulated chip compile and run C++ kernels that are in the file, as code of this machine",
    ),
)
# Settings of the real runtime that have no effect on a simulation, which follows the binary.
UNUSED_FLAGS = tuple(
    Flag(name=name, default=False, help="for the real runtime only")
    for name in (
        "--load-kernels-from-disk",
        "--enable-async-ttnn",
        "--disable-ignore-tile-shape",
        "--disable-empty-op-row-major",
        "--disable-full-op-row-major",
        "--disable-maxpool2d-preshard",
        "--disable-swap-binary-operands",
    )
)
_INIT = Flag(
    name="--init",
    default="randn",
    help="how inputs are filled; trained: like randn, with weights scaled by the root of their fan-in",
    choices=INITIALISERS,
)
_SEED = Flag(name="--seed", default=0, help="of random inputs")
# Options that compare results with the reference.
_COMPARING = ("--golden", "--bisect")


class Run(Command):
    """Run a binary file or a folder of binary files."""

    NAME = "run"
    SUMMARY = "run a binary, or all binaries in a folder, on a simulated system"
    FLAGS = (
        *ARTIFACT_FLAGS,
        *PROGRAM_FLAGS,
        _INIT,
        Flag(
            name="--inputs",
            default="",
            help="a folder of .npy files, named like the inputs (x.npy, input_0.npy); inputs without a file are filled by --init",
        ),
        Flag(name="--identity", default=False, help="fail unless the outputs equal the inputs"),
        Flag(name="--non-zero", default=False, help="fail where an output is all zero"),
        Flag(name="--rtol", default=1e-05, help="relative tolerance of --identity", needs=("--identity",)),
        Flag(name="--atol", default=1e-08, help="absolute tolerance of --identity", needs=("--identity",)),
        _SEED,
        Flag(
            name="--golden",
            default=True,
            absent=False,
            help="compare each operation with the float64 reference; the first that diverges fails the run",
        ),
        Flag(
            name="--allow-nan",
            default=False,
            help="NaN and infinities of the reference count as equal to those of the run; without this flag they fail it",
            needs=_COMPARING,
        ),
        Flag(
            name="--pcc",
            default=0.99,
            help="the least correlation with the reference that passes",
            needs=_COMPARING,
        ),
        Flag(
            name="--bisect",
            default=False,
            help="compare the outputs, and name the first wrong operation if they diverge",
        ),
        Flag(
            name="--host-memory",
            default="",
            help="how much memory of this machine tensors may take, such as 8G; half of it by default",
            only_of=".ttnn",
        ),
        Flag(
            name="--shard",
            default="",
            help="inputs that are cut over the chips of a mesh, as input:dimension, such as 0:0,2:1; others are on each chip",
        ),
        SIM_FLAG,
        Flag(
            name="--strict",
            default=False,
            help="fail if an operation on a card may refuse a layout",
            only_of=".ttnn",
        ),
        Flag(
            name="--tt-lang",
            default="sim",
            choices=TARGETS,
            help="the place where operations of TT-Lang run: the simulator, the emulated chip with cycles, or their NumPy reference",
            only_of=".ttnn",
        ),
        Flag(
            name="--collectives",
            default="host",
            choices=COLLECTIVE_TARGETS,
            help="the place where operations between chips run: the host, or as operations of TT-Lang in the simulator or on emulated chips",
            only_of=".ttnn",
        ),
        *ALLOW_FLAGS,
        Flag(
            name="--report",
            default="",
            help="of .ttm files: write what the emulated chip did, as a page, or as data where the name ends in .json",
            only_of=".ttm",
        ),
        *UNUSED_FLAGS,
        Flag(name="--result-file", default="run_results.json", help="where the results are written"),
    )

    report: MetalReportFile | None = None

    def execute(self) -> list[dict[str, Any]]:
        check_program_options(self.options)
        for flag in UNUSED_FLAGS:
            if self.options[flag.key]:
                self.without_effect(flag, f"it is {flag.help}")
        if self.options["seed"] != _SEED.default and self.options["init"] not in RANDOM:
            self.without_effect(_SEED, f"--init {self.options['init']} does not use random numbers")
        with allowed_code(self.options):
            return self._run_files()

    def _run_files(self) -> list[dict[str, Any]]:
        paths = binaries_at(self.options["binary"], BINARIES)
        order = sorted(paths, key=lambda path: (path.suffix != ".ttnn", str(path)))
        if self.options["report"]:
            from ttrt.common.metal_report import MetalReportFile

            self.report = MetalReportFile(self.options["report"], self.options["binary"])
        results = []
        for number, path in enumerate(order, 1):
            if len(order) > 1:
                self.logger.info(f"[{number}/{len(order)}] {path}")
            entry = self._run_file(path)
            results.append(entry)
            if entry["result"] == "pass":
                self.logger.info(f"{path}: pass")
        rank = {"skip": 0, "error": 1, "pass": 2}
        results.sort(key=lambda entry: rank[entry["result"]])
        if self.report is not None:
            self.report.write()
        save_results(results, self.options["result-file"])
        return results

    def _run_file(self, path: Path) -> dict[str, Any]:
        try:
            return self._entry(path, "pass", "", **self._run_binary(path, load_binary_from_path(path)))
        except (Mismatch, RuntimeProblem, FlatbufferError, LayoutError) as problem:
            return self.failed(path, problem, program_index=self.options["program-index"])

    def _run_binary(self, path: Path, binary: Binary) -> dict[str, Any]:
        check_version(binary)
        self.say_what_is_ignored(path)
        execution = execution_of(
            binary,
            system_for(binary, self.options["sim"]),
            strict=self.options["strict"],
            tt_lang=self.options["tt-lang"],
            collectives=self.options["collectives"],
            host_memory=self._host_memory,
            recorded=self.report is not None,
        )
        said: dict[str, Any] = {"programs": []}
        saved = self.artifacts.of_binary(path, binary) if self.options["save-artifacts"] else nullcontext()
        with saved as folder:
            self._run_programs(execution, binary, folder, said)
        return said

    def _run_programs(
        self, execution: BinaryExecution, binary: Binary, folder: Path | None, said: dict[str, Any]
    ) -> None:
        for index in program_indices(binary, self.options["program-index"]):
            program = execution.prepared(index)
            stored = None if self.options["inputs"] else golden_inputs(binary, index, program)
            if stored and self.options["shard"]:
                raise RuntimeProblem("--shard cuts random inputs, but golden inputs of the binary are used")
            if stored:
                self._say_inputs_are_stored(program)
            inputs = stored or cut_inputs(program, self.options["shard"], self._initialised)
            # The golden tensors of the file belong to its stored inputs.
            golden = self._golden(
                execution, program, index, inputs, use_stored=stored is not None or not program.inputs
            )
            outputs, details = self._run_program(execution, index, program, inputs, golden)
            given = whole(inputs)
            if folder is not None:
                self._save(folder / "run" / f"program_{index}", index, given, outputs)
                for name, text in execution.sources(program).items():
                    self.artifacts.save(folder / "run" / f"program_{index}" / "kernels" / name, text.encode())
            said["programs"].append({"index": index, "name": program.name, **details})
            self._check_outputs(program, given, outputs)

    @property
    def _host_memory(self) -> int | None:
        given = self.options["host-memory"]
        return bytes_of(given, "--host-memory") if given else None

    def _initialised(self, program: ProgramOfBinary) -> list[torch.Tensor]:
        drawn = initialised(program, self.options["init"], self.options["seed"])
        self._say_what_is_drawn(program)
        if not self.options["inputs"]:
            return drawn
        if not isinstance(program, PreparedProgram):
            raise RuntimeProblem("--inputs is for .ttnn files: inputs of TTMetal programs have no names")
        given = read_inputs(self.options["inputs"], program)
        missing = [number for number in program.free_inputs if number not in given]
        if missing:
            names = ", ".join(program.input_names.get(number, f"input_{number}") for number in missing[:5])
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            self.logger.warning(f"{program.name}: --inputs has no file for {names}{more}: filled by --init")
        return [given.get(number, tensor) for number, tensor in enumerate(drawn)]

    def _say_inputs_are_stored(self, program: ProgramOfBinary) -> None:
        why = f"{program.name} has golden inputs in the binary, which are used"
        for flag in (_INIT, _SEED):
            if self.options[flag.key] != flag.default:
                self.without_effect(flag, why)

    def _say_what_is_drawn(self, program: ProgramOfBinary) -> None:
        how = self.options["init"]
        if not isinstance(program, PreparedProgram) or how not in RANDOM or not program.free_inputs:
            return
        guessed = said(program, lambda number: program.input_names.get(number, f"input_{number}"))
        if guessed:
            self.logger.info(
                f"{program.name}: inputs are random ({how}), some in a range that suits their users: {guessed}; pass others with --inputs"
            )

    def _run_program(
        self,
        execution: BinaryExecution,
        index: int,
        program: ProgramOfBinary,
        inputs: Sequence[torch.Tensor | MeshShards],
        golden: AnyCheck | None,
    ) -> tuple[list[torch.Tensor], dict[str, Any]]:
        outputs: list[torch.Tensor] = []
        progress = RunProgress(self.logger, program, self.options["loops"])
        for left in reversed(range(self.options["loops"])):
            if left or golden is None:
                outputs, report = execution.run(program, inputs, before=progress)
            else:
                outputs, report = self._observed(execution, program, inputs, golden)
        for leak in report.leaks:
            self.logger.warning(f"{program.name}: {leak}")
        for warning in report.warnings[:3]:
            self.logger.warning(f"{program.name}: {warning}")
        if len(report.warnings) > 3:
            self.logger.warning(f"{program.name}: {len(report.warnings) - 3} more like these")
        details: dict[str, Any] = {
            **execution.details(program.name, report, self.logger),
            "leaks": report.leaks,
            "warnings": report.warnings,
            "peak_bytes_per_bank": report.peaks,
        }
        if self.report is not None:
            execution.add_to(self.report, program, report)
        if golden is not None:
            if golden.stopped:
                self.logger.warning(
                    f"{program.name}: the comparison ends after {len(golden.comparisons)} {golden.COMPARED}: {golden.stopped}"
                )
            for comparison in golden.comparisons:
                self.logger.debug(str(comparison))
            details["operations_compared"] = len(golden.comparisons)
            self._judge(golden, program)
            if self.options["bisect"] and golden.outputs_diverge(program, self.options["pcc"]):
                alone = execution.golden(index, inputs, use_stored=bool(golden.stored), alone=True)
                self._observed(execution, program, inputs, alone)
                raise Divergence(blame(program, golden, alone, self.options["pcc"]))
        return outputs, details

    def _observed(
        self,
        execution: BinaryExecution,
        program: ProgramOfBinary,
        inputs: Sequence[torch.Tensor | MeshShards],
        golden: AnyCheck,
    ) -> tuple[list[torch.Tensor], AnyReport]:
        """Run a program beside the reference.

        If it fails after a wrong operation, raise ``Divergence`` for that operation.
        """
        try:
            return execution.run(
                program, inputs, before=RunProgress(self.logger, program, 1, golden.before), observe=golden
            )
        except RuntimeProblem:
            bad = golden.to_blame()
            if not bad:
                raise
            raise Divergence(f"{program.name}: {bad[0].report(self.options['pcc'])}") from None

    def _golden(
        self,
        execution: BinaryExecution,
        program: ProgramOfBinary,
        index: int,
        inputs: Sequence[torch.Tensor | MeshShards],
        *,
        use_stored: bool,
    ) -> AnyCheck | None:
        if not (self.options["golden"] or self.options["bisect"]):
            return None
        try:
            golden = execution.golden(index, inputs, use_stored=use_stored)
            if isinstance(program, PreparedProgram):
                self._warn_of_kernels(program)
        except Unavailable as problem:
            self._say_nothing_compared(str(problem))
            return None
        names = ", ".join(golden.unused[:5]) + (", ..." if len(golden.unused) > 5 else "")
        if golden.stored:
            # The compiler has removed folded constants and unused operations.
            without = f"; of no operation with their name and size: {names}" if names else ""
            self.logger.info(f"golden tensors of the binary: {len(golden.stored)}{without}")
        elif names:
            why = (
                "no operation has their name and size"
                if use_stored
                else "it does not have all inputs with them"
            )
            self.logger.warning(f"golden tensors of the binary are not used, {why}: {names}")
        return golden

    def _say_nothing_compared(self, why: str) -> None:
        """Warn that a comparison is impossible.

        Raises ``RuntimeProblem`` if it was requested, so that it is not a success.
        """
        if self.asked & {"golden", "bisect"}:
            raise RuntimeProblem(f"nothing can be compared: {why}")
        self.logger.warning(f"nothing is compared: {why}")

    def _warn_of_kernels(self, program: PreparedProgram) -> None:
        """Warn of kernels without a reference in NumPy, whose results are compared with themselves."""
        from tt_model.tt_lang.running import is_its_own_reference

        for step in program.steps:
            call = kernel_call(step.kind, step.fields)
            if call is not None and is_its_own_reference(call.request):
                self.logger.warning(
                    f"{program.name}: {step.at}: {call.name} has no usable reference in NumPy: its golden results come from its "
                    "own kernels, and only the operations around it are compared"
                )

    def _judge(self, golden: AnyCheck, program: ProgramOfBinary) -> None:
        if self.options["bisect"]:
            self._judge_undefined(golden, program)
            return
        limit = self.options["pcc"]
        bad = golden.first_bad(limit)
        if bad is not None:
            raise Divergence(f"{program.name}: {bad.report(limit)}")
        self._judge_undefined(golden, program)
        if golden.stopped and not golden.comparisons:
            self._say_nothing_compared(f"{program.name}: {golden.stopped}")
            return
        self.logger.info(
            f"{program.name}: {len(golden.comparisons)} {golden.COMPARED} agree with the reference (PCC at least {limit})"
        )

    def _judge_undefined(self, golden: AnyCheck, program: ProgramOfBinary) -> None:
        """Raise ``Divergence`` where the reference makes NaN or infinities of numbers, which cannot be compared.

        With ``--allow-nan``, warn instead.
        """
        undefined = golden.undefined if isinstance(golden, GoldenCheck) else []
        if not undefined:
            return
        more = f", and so do {len(undefined) - 1} more" if len(undefined) > 1 else ""
        text = f"{program.name}: {undefined[0]}{more}"
        if not self.options["allow-nan"]:
            raise Divergence(
                f"{text}: the results that depend on them cannot be compared; pass inputs that give finite numbers (--inputs), or allow it "
                "(--allow-nan)"
            )
        self.logger.warning(text)

    def _check_outputs(
        self, program: ProgramOfBinary, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]
    ) -> None:
        import torch

        if self.options["identity"]:
            for number, (given, got) in enumerate(zip(inputs, outputs, strict=False)):
                same = given.shape == got.shape and torch.allclose(
                    given.double(), got.double(), self.options["rtol"], self.options["atol"]
                )
                if not same:
                    raise Divergence(f"Failed: output {number} of {program.name} is not its input {number}")
        if self.options["non-zero"]:
            for number, got in enumerate(outputs):
                if not bool((got.double() != 0).any()):
                    raise Divergence(f"Failed: output {number} of {program.name} is all zero")

    def _save(
        self, folder: Path, index: int, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]
    ) -> None:
        import io

        import torch

        for kind, tensors in (("input", inputs), ("output", outputs)):
            for number, tensor in enumerate(tensors):
                content = io.BytesIO()
                torch.save(tensor, content)
                self.artifacts.save(folder / f"program_{index}_{kind}_{number}.pt", content.getvalue())

    def _entry(self, path: Path, result: str, exception: str, **more: Any) -> dict[str, Any]:
        return result_entry(
            path, result, exception, **self.entry(program_index=self.options["program-index"], **more)
        )


def allowed_code(options: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return the context in which files may run the code that the flags allow. Raises ``ProgramError`` for invalid module names."""
    try:
        names = module_names(options["allow-tt-lang"])
    except ValueError as problem:
        raise wrong_option(f"--allow-tt-lang: {problem}") from None
    return allowed(names, sources=options["allow-kernel-source"])
