"""Scoring one program: which processes run, in which order, and what of their answers is believed.

What passes a stage is decided here, from what processes say that run nothing of the program (``ttl.score.judge``). The process that
runs it (``ttl.cli.score_witness``) can only make things worse: where it says that something failed, that is so; what it says of
results is tried again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ttl.arch import chip_named, names
from ttl.check.source import problem_of
from ttl.diag.json import to_object
from ttl.processes.tasks import Limits
from ttl.score.arrays import Array, load, named, save
from ttl.score.best import BestTable
from ttl.score.comparing import compared, distance, other_shapes, wrong_stage
from ttl.score.model import WORTH, Score, Stage, StageName
from ttl.score.processes import JUDGE, REFEREE, WITNESS, Answer, Isolation, Processes
from ttl.score.references import ScoreReference, declared_reference
from ttl.score.speed import speed_of
from ttl.settings import Settings, cache_folder, to_json

# Of orders, those that the emulated chip tries: delays of single transfers there, where the simulator's are of whole kernels.
_EMULATED_ORDERS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreRequest:
    """What is to be scored, and how."""

    program: str
    """Absolute."""
    arguments: tuple[str, ...] = ()
    reference: ScoreReference | None = None
    best: BestTable | None = None
    limits: Limits
    """Of each process."""
    isolation: Isolation
    orders: int = 10
    tolerance: float | None = None
    seed: int | None = None
    """For inputs that nobody has seen; None: another one each time."""
    until: StageName = "speed"
    """The last stage to look at."""


def score_program(request: ScoreRequest, chosen: Settings) -> Score:
    """The score of a program."""
    before = _fingerprint(request)
    with tempfile.TemporaryDirectory(prefix="ttl-score-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        cache = cache_folder()
        if cache is not None:
            os.makedirs(cache, mode=0o700, exist_ok=True)
        scoring = _Scoring(
            request, chosen, Processes(os.path.realpath(folder), request.isolation, request.limits, cache)
        )
        score = scoring.score()
    if _fingerprint(request) != before:
        tampered = Stage(
            name="parsed",
            passed=False,
            why="the program, its reference or this package was changed while it was scored",
            help="a program that is scored leaves files alone",
        )
        return replace(score, stages=(tampered,))
    return score


def _fingerprint(request: ScoreRequest) -> list[str]:
    """Of files that a program must not change. Where there is a fence it cannot change this package."""
    files = [request.program, *([request.reference.file] if request.reference is not None else ())]
    texts = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files if os.path.isfile(file)]
    if request.isolation.files != "open":
        return texts
    package = Path(__file__).parent.parent
    states = [(path, path.stat()) for path in sorted(package.rglob("*.py"))]
    return [*texts, *(f"{path} {state.st_size} {state.st_mtime_ns}" for path, state in states)]


class _Scoring:
    """One score under way."""

    def __init__(self, request: ScoreRequest, chosen: Settings, processes: Processes) -> None:
        self._request = request
        self._chosen = chosen
        self._processes = processes
        self._seed = secrets.randbits(31) if request.seed is None else request.seed
        self._stages: list[Stage] = []
        self._reference: dict[str, Any] = {"kind": None}
        self._findings: list[Mapping[str, Any]] = []
        self._calls: list[dict[str, Any]] = []
        self._chips = [chosen.arch, *(name for name in names() if name != chosen.arch)]

    def score(self) -> Score:
        """All stages, as far as the program gets."""
        self._all()
        return Score(
            program=os.path.basename(self._request.program),
            stages=tuple(self._stages),
            reference=self._reference,
            calls=tuple(self._calls),
            findings=tuple(self._findings),
            isolation={"network": self._request.isolation.network, "files": self._request.isolation.files},
        )

    def _all(self) -> None:
        text = self._parsed()
        if text is None:
            return
        read = self._read() if self._wanted("checked") else None
        if read is None:
            return
        plain = self._ran(read) if self._wanted("ran") else None
        if plain is None or not self._wanted("right"):
            return
        kind, tried, right = self._right(read, plain, text)
        self._stages.append(right)
        self._reference["kind"] = kind
        if self._wanted("schedules"):
            self._rest(read, tried)

    def _wanted(self, name: StageName) -> bool:
        order = list(WORTH)
        return order.index(name) <= order.index(self._request.until)

    def _add(self, name: StageName, passed: bool, why: str, help: str = "", **facts: Any) -> bool:
        self._stages.append(
            Stage(name=name, passed=passed, why=why, help="" if passed else help, facts=facts)
        )
        return passed

    # --- parsed, checked, ran ------------------------------------------------------------------------------------

    def _parsed(self) -> str | None:
        program = self._request.program
        try:
            text = Path(program).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            self._add("parsed", False, "it is no text", "a program is a Python file in UTF-8")
            return None
        problem = problem_of(text, os.path.basename(program), program)
        if problem is not None:
            self._findings.append(to_object(problem))
            self._add("parsed", False, problem.message, "write Python")
            return None
        self._add("parsed", True, "it is Python")
        return text

    def _judged(self, mode: str, **more: Any) -> Answer:
        return self._processes.run(
            JUDGE,
            {
                "mode": mode,
                "program": self._request.program,
                "arguments": list(self._request.arguments),
                "settings": to_json(self._chosen),
                "chips": self._chips,
                **more,
            },
            trusted=True,
        )

    def _read(self) -> Mapping[str, Any] | None:
        answer = self._judged("read", compiled=self._wanted("compiled"))
        read = answer.data
        if read is None or "failed" in read:
            why = answer.why_nothing if read is None else read["failed"]["message"]
            self._add(
                "checked",
                False,
                f"it could not be checked: {why}",
                "make it smaller, or give more time and memory",
            )
            return None
        self._findings += read["findings"]
        errors = [finding for finding in read["findings"] if finding["severity"] == "error"]
        if errors:
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            help_ = errors[0]["help"][0] if errors[0]["help"] else f"ttl explain {errors[0]['code']}"
            self._add("checked", False, f"{errors[0]['code']}: {errors[0]['message']}{more}", help_)
        elif read["not_checked"]:
            self._add(
                "checked",
                False,
                f"not all of it can be read: {read['not_checked'][0]}",
                "declare arguments with ttl.example, or give the program's arguments behind --",
            )
        elif not read["calls"]:
            self._add(
                "checked", False, "it calls no operation", "write an operation with kernels, and call it"
            )
        else:
            calls = len(read["calls"])
            self._add("checked", True, f"nothing is wrong in {calls} kind{'s' if calls > 1 else ''} of calls")
            return read
        return None

    def _witnessed(
        self, read: Mapping[str, Any], salt: int = 0, spoil: int | None = None, **chosen: Any
    ) -> Answer:
        origins = {**self._chosen.origins, **dict.fromkeys((*chosen, "check", "progress"), "ttl score")}
        values = {"target": "sim", "check": "off", "progress": "off", "format": "text", "cache_dir": "off"}
        origins |= dict.fromkeys(values, "ttl score")
        given = replace(self._chosen, **{**values, **chosen, "origins": origins})
        return self._processes.run(
            WITNESS,
            {
                "program": self._request.program,
                "arguments": list(self._request.arguments),
                "settings": to_json(given),
                "calls": read["calls"],
                "salt": salt,
                "spoil": spoil,
            },
            trusted=False,
            folder=os.path.dirname(self._request.program),
        )

    @staticmethod
    def _wrong_run(answer: Answer) -> str:
        """What went wrong with a run; nothing where it came to a good end."""
        data = answer.data
        if data is None:
            return answer.why_nothing
        if data.get("status") != 0:
            said = [line for line in answer.ended.output.strip().splitlines() if line.strip()]
            last = next((line for line in said if line.startswith("error")), said[-1] if said else "")
            return f"it ended with exit code {data.get('status')}" + (f": {last[:300]}" if last else "")
        if data.get("begun") != data.get("ended"):
            return "a call of an operation failed, and the program went on"
        return ""

    def _ran(self, read: Mapping[str, Any]) -> Answer | None:
        answer = self._witnessed(read)
        wrong = self._wrong_run(answer)
        if wrong:
            self._add("ran", False, wrong, "make 'ttl run PROGRAM' end with exit code 0")
            return None
        seen = answer.data["seen"] if answer.data is not None else []
        missing = [
            call
            for number, call in enumerate(read["calls"])
            if call["origin"] == "call" and number not in seen
        ]
        if missing:
            self._add(
                "ran",
                False,
                f"the call of {missing[0]['operation']} in line {missing[0]['line']} did not happen",
                "let the program get to its end and make every call that stands in it",
            )
            return None
        self._add("ran", True, "it ran to its end in the simulator", seconds=round(answer.ended.seconds, 3))
        return answer

    # --- right ---------------------------------------------------------------------------------------------------

    def _right(
        self, read: Mapping[str, Any], plain: Answer, text: str
    ) -> tuple[str, Mapping[str, Any] | None, Stage]:
        """The kind of the reference, what the trials gave, and the stage."""
        operations = [call["operation"] for call in read["calls"]]
        reference = self._request.reference or declared_reference(self._request.program, text, operations)
        if reference is not None:
            return reference.kind, *self._by_function(read, plain, reference)
        return "compared", *self._by_comparison(read)

    def _tried(self, **more: Any) -> tuple[Answer, Mapping[str, Any] | None, str]:
        """The trials of all calls; why there are none."""
        answer = self._judged(
            "try",
            seed=self._seed,
            orders=min(self._request.orders, _EMULATED_ORDERS),
            elsewhere=self._wanted("emulated"),
            **more,
        )
        data = answer.data
        if data is None:
            return answer, None, f"the emulated chip did not come to an end: {answer.why_nothing}"
        failed = data.get("failed") or next(
            (call["failed"] for call in data["calls"] if "failed" in call), None
        )
        if failed is not None:
            self._findings.append(failed)
            return answer, None, f"on the emulated chip: {failed['code']}: {failed['message']}"
        return answer, data, ""

    def _by_function(
        self, read: Mapping[str, Any], plain: Answer, reference: ScoreReference
    ) -> tuple[Mapping[str, Any] | None, Stage]:
        functions = [reference.function_for(call["operation"]) for call in read["calls"]]
        self._reference |= {
            "file": os.path.basename(reference.file),
            "functions": sorted({name for name in functions if name is not None}),
        }
        if not any(functions):
            return None, wrong_stage("the reference is for an operation that the program does not call")
        inputs = self._made(read, reference, plain)
        if isinstance(inputs, Stage):
            return None, inputs
        answer, data, why = self._tried(inputs=inputs, simulated=plain.arrays)
        if data is None:
            return None, wrong_stage(why)
        calls = [
            {**call, "function": function} for call, function in zip(data["calls"], functions, strict=True)
        ]
        missing = other_shapes(calls, reference)
        if missing:
            return data, wrong_stage(missing)
        said = self._processes.run(
            REFEREE,
            {
                "file": reference.file,
                "whole": reference.kind == "given",
                "results": answer.arrays,
                "calls": calls,
            },
            trusted=False,
        )
        problem = said.why_nothing if said.data is None else said.data.get("problem")
        if problem:
            return data, wrong_stage(
                f"the reference fails: {problem}", "a reference takes and returns NumPy arrays"
            )
        assert said.data is not None
        for call, flops in zip(data["calls"], said.data["flops"], strict=True):
            call["flops"] = flops
        expected = load(said.arrays)
        return data, compared(
            read,
            data,
            load(answer.arrays),
            expected,
            "",
            need_depends=True,
            tolerance=self._request.tolerance,
        )

    def _made(self, read: Mapping[str, Any], reference: ScoreReference, plain: Answer) -> str | Stage | None:
        """A file of inputs; None: normal ones; or why there are none."""
        if reference.kind == "declared":
            # Of the program's own numbers, in another order: what it needs of them (positive, an index) stays so.
            try:
                arrays = load(plain.arrays)
            except ValueError as problem:
                return wrong_stage(str(problem))
            generator = np.random.default_rng(self._seed)
            shuffled = {}
            for name, values in arrays.items():
                if "|before|" in name and values.size and (values != values.flat[0]).any():
                    shuffled[name] = generator.permutation(values.reshape(-1)).reshape(values.shape)
            path = self._processes.path("shuffled.npz")
            save(path, shuffled)
            return path
        if not reference.has_inputs:
            return None
        _, data, why = self._tried()
        if data is None:
            return wrong_stage(why)
        said = self._processes.run(
            REFEREE,
            {"file": reference.file, "whole": True, "make": True, "seed": self._seed, "calls": data["calls"]},
            trusted=False,
        )
        why = said.why_nothing if said.data is None else said.data.get("problem", "")
        return wrong_stage(f"the inputs of the reference fail: {why}") if why else said.arrays

    def _by_comparison(self, read: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, Stage]:
        salt = self._seed | 1
        run = self._witnessed(read, salt=salt)
        advice = (
            "compare the result with torch or NumPy (assert_close, allclose, result - expected), declare a function 'reference' in the "
            "program, or give one with --reference"
        )
        if run.data is None:
            return None, wrong_stage(f"with other random numbers: {run.why_nothing}", advice)
        references = [(int(call), int(index)) for call, index in run.data.get("references", ())]
        answer, data, why = self._tried(inputs=run.arrays, simulated=run.arrays)
        if data is None:
            return None, wrong_stage(why)
        if not references:
            return data, wrong_stage("no result of an operation is compared with anything", advice)
        try:
            arrays = load(run.arrays)
            last = max(call for call, _ in references)
            spoilt = self._witnessed(read, salt=salt, spoil=last)
            others = load(spoilt.arrays)
        except ValueError as problem:
            return data, wrong_stage(f"what the program compares is not known: {problem}", advice)
        independent = {array.tobytes() for name, array in others.items() if "|reference " in name}
        expected: dict[str, Array] = {}
        dependent = 0
        results = load(answer.arrays)
        for number, (call, index) in enumerate(references):
            values = arrays.get(named(call, str(index), f"reference {number}"))
            if values is None or call >= len(data["calls"]) or index >= len(data["calls"][call]["tensors"]):
                continue
            if values.tobytes() not in independent:
                dependent += 1
                continue
            tensor = data["calls"][call]["tensors"][index]["name"]
            name = named(call, tensor, "expected")
            # A program may compare with several; the closest is what it means.
            if name in expected and distance(results, call, tensor, expected[name]) <= distance(
                results, call, tensor, values
            ):
                continue
            expected[name] = values
        if not expected:
            return data, wrong_stage(
                "what results are compared with comes from the results themselves"
                if dependent
                else "nothing is compared with a result",
                advice,
            )
        return data, compared(
            read,
            data,
            results,
            expected,
            advice,
            own=True,
            need_depends=True,
            tolerance=self._request.tolerance,
        )

    # --- what is left --------------------------------------------------------------------------------------------

    def _rest(self, read: Mapping[str, Any], tried: Mapping[str, Any] | None) -> None:
        orders = self._request.orders
        calls: Sequence[Mapping[str, Any]] = () if tried is None else tried["calls"]
        wrong = self._wrong_run(self._witnessed(read, schedules=orders))
        differing = [name for call in calls for name in call["orders"]]
        self._add(
            "schedules",
            not wrong and not differing and tried is not None,
            wrong
            or (
                f"{differing[0]} depends on when transfers arrive"
                if differing
                else f"the same in {orders} orders"
            ),
            "synchronise with a semaphore or a pipe; 'ttl run --schedules N' shows what differs",
        )
        wrong = self._wrong_run(self._witnessed(read, sanitize=True))
        rubbish = [name for call in calls for name in call["rubbish"]]
        self._add(
            "sanitized",
            not wrong and not rubbish and tried is not None,
            wrong
            or (
                f"{rubbish[0]} depends on what was in memory before"
                if rubbish
                else "reads nothing that nobody wrote"
            ),
            "'ttl run --sanitize' shows where something undefined is read",
        )
        problems = {target: findings for target, findings in read["compiled"].items() if findings}
        first = next(iter(problems.items()), None)
        self._add(
            "compiled",
            first is None,
            f"for {', '.join(read['compiled'])}"
            if first is None
            else f"for {first[0]}: {first[1][0]['code']}: {first[1][0]['message']}",
            "ttl compile says what the hardware or the compiler lacks",
            targets={target: not findings for target, findings in read["compiled"].items()},
        )
        self._emulated(calls, tried)
        self._speed(read, calls, tried)

    def _emulated(self, calls: Sequence[Mapping[str, Any]], tried: Mapping[str, Any] | None) -> None:
        if tried is None:
            self._stages.append(
                Stage(name="emulated", passed=None, why="no call was run on the emulated chip")
            )
            return
        elsewhere = [(target, text) for call in calls for target, text in call["elsewhere"].items() if text]
        simulated = [call["simulated"] for call in calls if call["simulated"]]
        unseen = sum(call["simulated"] is None for call in calls)
        why = "the same on both chips, in both generations and in the simulator"
        if unseen == len(calls):
            why = "no call could be compared with the simulator"
        elif elsewhere:
            why = f"on {elsewhere[0][0]}: {elsewhere[0][1]}"
        elif simulated:
            why = simulated[0]
        self._add(
            "emulated",
            not elsewhere and not simulated and unseen < len(calls),
            why,
            "'ttl run --target emu --compare' finds the first block that differs"
            if simulated or not elsewhere
            else "results have to be the same on every chip and in every generation: 'ttl run --arch' tries a chip",
        )

    def _speed(
        self, read: Mapping[str, Any], calls: Sequence[Mapping[str, Any]], tried: Mapping[str, Any] | None
    ) -> None:
        if tried is None:
            self._stages.append(Stage(name="speed", passed=None, why="no call was run on the emulated chip"))
            return
        self._calls, stage = speed_of(read["calls"], calls, chip_named(self._chosen.arch), self._request.best)
        if self._wanted("speed"):
            self._stages.append(stage)
