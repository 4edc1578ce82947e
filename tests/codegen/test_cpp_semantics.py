"""Printed kernels compute what their operations mean: they are compiled, run, and compared with Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.cpp_execute import pushed
from support.kernel_check import needs_compiler
from support.kernel_programs import Rejected, generate, observed
from ttl.codegen.cpp import arithmetic, kernel_sources
from ttl.codegen.cpp.expr import CppExpr
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.verifier import require_valid

COUNT = 120
INPUTS = ((0, 1, 2, 3), (7, 50, 4, 31), (13, 0, 100, 5))

BUFFER = "!ttkernel.cb<1, !ttl.tile<32x32, bf16>>"


@needs_compiler
def test_random_arithmetic_loops_and_branches(tmp_path: Path) -> None:
    sources, inputs, expected = {}, {}, {}
    for seed in range(COUNT):
        program = generate(seed)
        require_valid(program)
        for number, arguments in enumerate(INPUTS):
            try:
                expected[seed, number] = observed(program, arguments)
            except Rejected:
                continue
            inputs[seed, number] = arguments
            sources[seed] = kernel_sources(program, "0.81")["read.cpp"]
    assert len(sources) > COUNT * 0.9
    found = pushed(sources, inputs, tmp_path)
    wrong = {key for key in expected if found[key] != expected[key]}
    assert wrong == set(), "\n".join(sources[seed] for seed in sorted({seed for seed, _ in wrong})[:2])


TYPED = """
template <typename A, typename B> constexpr bool same = false;
template <typename A> constexpr bool same<A, A> = true;
template <typename T, typename U> constexpr T typed(U value) {
    static_assert(same<T, U>);
    return value;
}
"""


def typed(make: Callable[..., CppExpr]) -> Callable[..., CppExpr]:
    """``make``, whose expressions do not compile where C++ gives them another type than they say."""

    def made(*arguments: object, **named: object) -> CppExpr:
        expr = make(*arguments, **named)
        if expr.is_literal:
            return expr
        text = f"typed<{expr.ctype}>({expr.text})"
        return replace(expr, text=text, top="", opposite=None, inner=None, denied=None)

    return made


@needs_compiler
def test_expressions_have_the_types_that_the_printer_takes_them_to_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its type an expression is compared, divided and printed with or without a sign."""
    for function in ("infix", "conditional", "prefix", "call"):
        monkeypatch.setattr(arithmetic, function, typed(getattr(arithmetic, function)))
    sources = {seed: kernel_sources(generate(seed), "0.81")["read.cpp"] for seed in range(COUNT)}
    assert sum(text.count("typed<int64_t>(") for text in sources.values()) > COUNT / 2
    pushed(sources, {}, tmp_path, warnings=False, before=TYPED)


def kernel(body: str) -> ProgramOp:
    """A program with one kernel that has a buffer, numbers and two arguments at hand."""
    numbers = "\n".join(
        f"%{'m' if each < 0 else 'c'}{abs(each)} = arith.constant {each} : index"
        for each in (-1_000_000, -7, -1, 0, 1, 2, 3, 8)
    )
    text = f"""
    ttkernel.program @program() grid <8x8> {{
      ttkernel.circular_buffer @a_dfb index 0 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
      ttkernel.kernel @read noc on ncrisc noc 0 {{
        %a_dfb = ttkernel.get_cb @a_dfb : {BUFFER}
        {numbers}
        %a = ttkernel.get_arg_val %c0
        %b = ttkernel.get_arg_val %c1
        %u = arith.remui %a, %c8 : index
        %v = arith.remui %b, %c8 : index
        {body}
      }}
    }}
    """
    found = next(op for op in parse_module(text).walk() if isinstance(op, ProgramOp))
    assert isinstance(found, ProgramOp)
    return found


def push(value: str) -> str:
    return f"ttkernel.cb_push_back %a_dfb, {value} : <1, !ttl.tile<32x32, bf16>>"


def statements(body: str) -> list[str]:
    """The lines of the kernel after its declarations, without indentation."""
    text = kernel_sources(kernel(body), "0.81")["read.cpp"]
    return [line.strip() for line in text.split("void kernel_main() {")[1].splitlines() if line.strip()][1:-1]


EDGES = (-(2**31) - 1, -(2**31), -1, 0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62)


@needs_compiler
def test_one_of_two_known_numbers_is_chosen_in_a_type_that_holds_both(tmp_path: Path) -> None:
    pairs = [(a, b) for a in EDGES for b in EDGES if a != b]
    body = "%is = arith.cmpi eq, %a, %c0 : index\n" + "\n".join(
        f"""
        %then{n} = arith.constant {a} : index
        %else{n} = arith.constant {b} : index
        %x{n} = arith.select %is, %then{n}, %else{n} : index
        %q{n} = arith.floordivsi %x{n}, %c8 : index
        {push(f"%q{n}")}
        """
        for n, (a, b) in enumerate(pairs)
    )
    text = kernel_sources(kernel(body), "0.81")["read.cpp"]
    found = pushed({0: text}, {(0, 0): (0, 0, 0, 0), (0, 1): (1, 0, 0, 0)}, tmp_path)
    for number in (0, 1):
        assert found[0, number] == [pair[number] // 8 % 2**32 for pair in pairs]


def test_differences_may_be_negative_and_are_compared_as_such() -> None:
    body = f"""
        %d = arith.subi %u, %v : index
        %is = arith.cmpi slt, %d, %c2 : index
        scf.if %is {{ {push("%c1")} }}
    """
    assert statements(body) == [
        "if (int32_t(get_arg_val<uint32_t>(0) % 8 - get_arg_val<uint32_t>(1) % 8) < 2) {",
        "cb_push_back(a_dfb, 1);",
        "}",
    ]


def test_what_32_bits_do_not_hold_is_computed_in_64() -> None:
    body = f"""
        %d = arith.subi %a, %b : index
        %is = arith.cmpi slt, %d, %c2 : index
        scf.if %is {{ {push("%c1")} }}
        %p = arith.muli %a, %a : index
        %q = arith.divui %p, %a : index
        %r = arith.remui %q, %c8 : index
        {push("%r")}
    """
    assert statements(body) == [
        "const uint32_t a = get_arg_val<uint32_t>(0);",
        "if (int64_t(a) - int64_t(get_arg_val<uint32_t>(1)) < 2) {",
        "cb_push_back(a_dfb, 1);",
        "}",
        "cb_push_back(a_dfb, uint32_t(int64_t(a) * int64_t(a) / int64_t(a) % 8));",
    ]


def test_a_counter_has_the_bits_that_its_sum_needs() -> None:
    def total(turns: int, step: int) -> str:
        body = f"""
            %end = arith.constant {turns} : index
            %step = arith.constant {step} : index
            %sum = scf.for %i = %c0 to %end step %c1 iter_args(%n = %u) -> (index) {{
              %more = arith.addi %n, %step : index
              scf.yield %more : index
            }}
            {push("%sum")}
        """
        return next(line for line in statements(body) if " n = " in line)

    assert total(1000, 4_000_000) == "uint32_t n = get_arg_val<uint32_t>(0) % 8;"
    assert total(1000, -2_000_000) == "int32_t n = get_arg_val<uint32_t>(0) % 8;"
    assert total(1000, -4_000_000) == "int64_t n = int64_t(get_arg_val<uint32_t>(0) % 8);"
    assert total(1100, 4_000_000) == "int64_t n = int64_t(get_arg_val<uint32_t>(0) % 8);"


def test_a_modulo_is_one_operator() -> None:
    body = f"""
        %q = arith.floordivsi %a, %c8 : index
        %p = arith.muli %q, %c8 : index
        %r = arith.subi %a, %p : index
        {push("%q")}
        {push("%r")}
    """
    assert statements(body) == [
        "const uint32_t a = get_arg_val<uint32_t>(0);",
        "cb_push_back(a_dfb, a / 8);",
        "cb_push_back(a_dfb, a % 8);",
    ]


def test_a_modulo_of_a_number_that_may_be_negative_rounds_down() -> None:
    body = f"""
        %w = arith.muli %u, %m1000000 : index
        %d = arith.subi %w, %v : index
        %q = arith.floordivsi %d, %c8 : index
        %p = arith.muli %q, %c8 : index
        %r = arith.subi %d, %p : index
        {push("%r")}
    """
    text = kernel_sources(kernel(body), "0.81")["read.cpp"]
    assert "static inline int32_t floor_mod(int32_t a, int32_t b) {" in text
    assert "floor_mod(get_arg_val<uint32_t>(0) % 8 * (-1000000) - get_arg_val<uint32_t>(1) % 8, 8)" in text
    assert "floor_div(" not in text


def test_carried_values_that_change_places_keep_one_apart() -> None:
    body = f"""
        %x, %y = scf.for %i = %c0 to %b step %c1 iter_args(%p = %a, %q = %b) -> (index, index) {{
          scf.yield %q, %p : index, index
        }}
        {push("%x")}
        {push("%y")}
    """
    assert statements(body)[1:] == [
        "uint32_t p = get_arg_val<uint32_t>(0);",
        "uint32_t q = b;",
        "for (uint32_t i = 0; i < b; ++i) {",
        "const auto next_p = q;",
        "q = p;",
        "p = next_p;",
        "}",
        "cb_push_back(a_dfb, p);",
        "cb_push_back(a_dfb, q);",
    ]


def test_a_loop_goes_on_with_the_variable_that_only_it_needs() -> None:
    body = f"""
        %l1 = ttkernel.get_write_ptr %a_dfb : <1, !ttl.tile<32x32, bf16>>
        %x = scf.for %i = %c0 to %c8 step %c1 iter_args(%at = %l1) -> (index) {{
          %y = scf.for %j = %c0 to %v step %c1 iter_args(%in = %at) -> (index) {{
            {push("%in")}
            %next = arith.addi %in, %c8 : index
            scf.yield %next : index
          }}
          scf.yield %y : index
        }}
    """
    assert statements(body)[1:] == [
        "uint32_t l1 = get_write_ptr(a_dfb);",
        "for (uint32_t i = 0; i < 8; ++i) {",
        "for (uint32_t j = 0; j < v; ++j) {",
        "cb_push_back(a_dfb, l1);",
        "l1 += 8;",
        "}",
        "}",
    ]


def test_what_is_handed_on_and_never_read_is_not_written() -> None:
    body = f"""
        %x = scf.for %i = %c0 to %b step %c1 iter_args(%n = %c0) -> (index) {{
          {push("%i")}
          %next = arith.addi %n, %a : index
          scf.yield %next : index
        }}
    """
    assert statements(body) == [
        "const uint32_t b = get_arg_val<uint32_t>(1);",
        "for (uint32_t i = 0; i < b; ++i) {",
        "cb_push_back(a_dfb, i);",
        "}",
    ]


def test_branches_with_one_value_are_an_expression_and_chains_are_flat() -> None:
    body = f"""
        %is = arith.cmpi eq, %a, %c0 : index
        %x = scf.if %is -> (index) {{ scf.yield %b : index }} else {{ scf.yield %c8 : index }}
        {push("%x")}
        scf.if %is {{ {push("%c1")} }} else {{
          %other = arith.cmpi eq, %a, %c1 : index
          scf.if %other {{ {push("%c2")} }} else {{ {push("%c3")} }}
        }}
    """
    assert statements(body) == [
        "const uint32_t a = get_arg_val<uint32_t>(0);",
        "const uint32_t x = a == 0 ? get_arg_val<uint32_t>(1) : 8;",
        "cb_push_back(a_dfb, x);",
        "if (a == 0) {",
        "cb_push_back(a_dfb, 1);",
        "} else if (a == 1) {",
        "cb_push_back(a_dfb, 2);",
        "} else {",
        "cb_push_back(a_dfb, 3);",
        "}",
    ]


def test_names_are_the_users_where_c_plus_plus_and_the_kernel_api_leave_them() -> None:
    body = "\n".join(
        f"%{name} = ttkernel.get_arg_val %c{number}\n{push(f'%{name}')}\n{push(f'%{name}')}"
        for number, name in enumerate(("int", "cb_push_back", "ROWS", "K", "row"))
        if number != 4
    )
    found = [line.split()[2] for line in statements(body) if line.startswith("const")]
    assert found == ["int_1", "cb_push_back_1", "rows", "K"]


def test_a_number_with_a_name_is_declared_where_it_is_mentioned_more_than_once() -> None:
    body = f"""
        %tile_bytes = arith.constant 2048 : index
        %once = arith.constant 77 : index
        %second = arith.addi %u, %tile_bytes : index
        %third = arith.addi %second, %tile_bytes : index
        %fourth = arith.addi %third, %once : index
        {push("%fourth")}
    """
    assert statements(body) == [
        "constexpr uint32_t tile_bytes = 2048;",
        "cb_push_back(a_dfb, get_arg_val<uint32_t>(0) % 8 + tile_bytes + tile_bytes + 77);",
    ]
