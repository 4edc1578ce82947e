"""Matrix products of the machine: every instruction set against NumPy in float64, whatever the shape and format.

The C entry points are those of ``native/machine/gemm_test.cpp``.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, round_to_block_float

FLOAT32, BF16, BFP8, BFP4 = 0, 1, 3, 4
# As ``Isa`` of native/machine/isa.h numbers them.
ISAS = ("plain", "avx2", "avx512", "avx512bf16", "amx", "neonbf16", "emulated_amx")
MANTISSA_BITS = {BFP8: BFLOAT8_B.mantissa_bits, BFP4: BFLOAT4_B.mantissa_bits}
EPSILON = 2.0**-24
# Sets that multiply bfloat16 by instructions of their own: subnormal numbers count as zero.
FLUSHING = ("avx512bf16", "amx", "neonbf16", "emulated_amx")

_SPEC = importlib.util.find_spec("ttl._machine")
pytestmark = pytest.mark.skipif(_SPEC is None, reason="the native core is not built: python native/build.py")


def _library() -> Any:
    assert _SPEC is not None and _SPEC.origin is not None
    library = ctypes.CDLL(_SPEC.origin)
    library.ttl_gemm_scratch_new.restype = ctypes.c_void_p
    library.ttl_gemm_scratch_delete.argtypes = [ctypes.c_void_p]
    library.ttl_gemm_scratch_reset.argtypes = [ctypes.c_void_p]
    library.ttl_gemm_chain.argtypes = [
        *[ctypes.c_int] * 3,
        *[ctypes.c_void_p] * 3,
        ctypes.c_int,
        *[ctypes.c_void_p] * 2,
        ctypes.c_longlong,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    return library


@dataclass(kw_only=True)
class Matrix:
    """A matrix in memory: ``values`` (float32, what it holds), rows ``gap`` elements apart with NaN between them."""

    values: np.ndarray
    format: int = FLOAT32
    gap: int = 0

    def __post_init__(self) -> None:
        rows, columns = self.values.shape
        memory = np.full((rows, columns + self.gap), np.nan, np.float32)
        memory[:, :columns] = self.values
        if self.format == BF16:
            memory = BFLOAT16.store(memory)
        elif self.format != FLOAT32:
            memory[:, :columns] = round_to_block_float(self.values, MANTISSA_BITS[self.format])
        self.memory = memory
        self.values = self.load()

    def load(self) -> np.ndarray:
        memory = BFLOAT16.load(self.memory) if self.format == BF16 else self.memory
        return memory[:, : self.values.shape[1]]

    @property
    def operand(self) -> tuple[int, int]:
        return self.memory.ctypes.data, self.memory.strides[0]


Chain = Sequence[tuple[Matrix, Matrix]]


class Machine:
    """The products with one instruction set, and packed operands from call to call."""

    def __init__(self, library: Any, isa: str) -> None:
        self._library, self.isa = library, isa
        self._scratch = library.ttl_gemm_scratch_new()

    def close(self) -> None:
        self._library.ttl_gemm_scratch_delete(self._scratch)

    def reset(self) -> None:
        self._library.ttl_gemm_scratch_reset(self._scratch)

    def chains(self, chains: Sequence[Chain], outputs: np.ndarray, *, accumulate: bool = False) -> None:
        """Every chain to its matrix of ``outputs``: chains x m x n, rows contiguous."""
        first = chains[0]
        k = np.array([a.values.shape[1] for a, _ in first], np.int32)
        formats = [np.array([pair[side].format for pair in first], np.int32) for side in (0, 1)]
        factors = np.array([[*a.operand, *b.operand] for chain in chains for a, b in chain], np.int64)
        targets = np.array([output.ctypes.data for output in outputs], np.int64)
        m, n = outputs.shape[1:]
        assert all(chain[0][0].values.shape[0] == m for chain in chains)
        self._library.ttl_gemm_chain(
            m,
            n,
            len(first),
            k.ctypes.data,
            formats[0].ctypes.data,
            formats[1].ctypes.data,
            len(chains),
            factors.ctypes.data,
            targets.ctypes.data,
            outputs.strides[1],
            accumulate,
            self._scratch,
        )

    def chain(self, chain: Chain, base: np.ndarray | None = None) -> np.ndarray:
        m, n = chain[0][0].values.shape[0], chain[0][1].values.shape[1]
        output = np.full((1, m, n), np.nan, np.float32)
        if base is not None:
            output[0] = base
        self.chains([chain], output, accumulate=base is not None)
        result: np.ndarray = output[0]
        return result


THERE = [] if _SPEC is None else [name for isa, name in enumerate(ISAS) if _library().ttl_gemm_has(isa)]


@pytest.fixture(scope="module", params=THERE)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    library, isa = _library(), ISAS.index(request.param)
    before = library.ttl_gemm_isa()
    assert library.ttl_gemm_use(isa)
    assert library.ttl_gemm_isa() == isa
    there = Machine(library, request.param)
    yield there
    there.close()
    library.ttl_gemm_use(before)


def matrix(seed: int, rows: int, columns: int, format: int = FLOAT32, gap: int = 0) -> Matrix:
    values = np.random.default_rng(seed).standard_normal((rows, columns), np.float32)
    return Matrix(values=values, format=format, gap=gap)


def chain_of(m: int, n: int, k: Sequence[int], formats: Sequence[tuple[int, int]], gap: int = 0) -> Chain:
    return [
        (matrix(2 * i, m, depth, left, gap), matrix(2 * i + 1, depth, n, right, gap))
        for i, (depth, (left, right)) in enumerate(zip(k, formats, strict=True))
    ]


def check(actual: np.ndarray, chain: Chain, base: np.ndarray | None = None, *, roundings: int = 1) -> None:
    """Equal to the sum in float64, but for so many roundings to the nearest float32 in every step."""
    exact = np.zeros(actual.shape) if base is None else base.astype(np.float64)
    magnitude, steps = np.abs(exact), 1
    for a, b in chain:
        left, right = a.values.astype(np.float64), b.values.astype(np.float64)
        exact = exact + left @ right
        magnitude = magnitude + np.abs(left) @ np.abs(right)
        steps += 2 * left.shape[1]
    assert actual.dtype == np.float32
    assert np.all(np.abs(actual - exact) <= EPSILON * roundings * steps * magnitude)


FORMATS = [(FLOAT32, FLOAT32), (BF16, BF16), (BF16, FLOAT32), (FLOAT32, BF16), (BFP8, BFP8), (BF16, BFP4)]
FORMAT_IDS = ["f32", "bf16", "bf16 @ f32", "f32 @ bf16", "bfp8", "bf16 @ bfp4"]
SHAPES = [
    (1, 1, 1),
    (32, 32, 32),
    (64, 96, 128),
    (5, 33, 7),
    (9, 31, 2),
    (13, 17, 65),
    (1, 300, 3),
    (33, 257, 31),
    (7, 8, 1029),
    (6, 40, 2050),
]


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def test_one_product(machine: Machine, shape: tuple[int, int, int], formats: tuple[int, int]) -> None:
    m, n, k = shape
    chain = chain_of(m, n, [k], [formats])
    check(machine.chain(chain), chain)


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
def test_chain_added_to_what_is_there(machine: Machine, formats: tuple[int, int]) -> None:
    chain = chain_of(40, 50, [32, 7, 1, 64], [formats] * 4)
    base = matrix(100, 40, 50).values
    check(machine.chain(chain, base), chain, base)


def test_every_factor_has_its_formats(machine: Machine) -> None:
    chain = chain_of(34, 70, [33, 5, 32, 64, 3, 16, 48, 9], [*FORMATS, FORMATS[1], FORMATS[0]])
    check(machine.chain(chain), chain)


def test_as_many_factors_as_a_long_kernel_has(machine: Machine) -> None:
    chain = chain_of(32, 32, [32] * 128, [(BF16, BF16)] * 128)
    check(machine.chain(chain), chain)


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
def test_what_lies_between_rows_is_not_touched(machine: Machine, formats: tuple[int, int]) -> None:
    chain = chain_of(21, 45, [13, 32], [formats] * 2, gap=3)
    memory = np.full((1, 21, 64), 7.0, np.float32)
    machine.chains([chain], memory[:, :, :45])
    check(memory[0, :, :45], chain)
    assert np.all(memory[0, :, 45:] == 7.0)


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
def test_nan_and_infinity_stay_in_their_rows_and_columns(machine: Machine, formats: tuple[int, int]) -> None:
    left = np.ones((10, 35), np.float32)
    right = np.ones((35, 40), np.float32)
    left[2, 34] = np.nan
    left[4, 3] = np.inf
    right[7, 35] = -np.inf
    right[34, 39] = np.nan
    chain = [(Matrix(values=left, format=formats[0]), Matrix(values=right, format=formats[1]))]
    actual = machine.chain(chain)
    expected = np.full((10, 40), 35.0, np.float32)
    expected[4] = np.inf
    expected[:, 35] = -np.inf
    expected[4, 35] = np.nan
    expected[2] = np.nan
    expected[:, 39] = np.nan
    np.testing.assert_array_equal(actual, expected)


def test_infinity_times_zero(machine: Machine) -> None:
    zeros, infinities = np.zeros((3, 4), np.float32), np.full((4, 5), np.inf, np.float32)
    chain = [(Matrix(values=zeros, format=BF16), Matrix(values=infinities, format=BF16))]
    assert np.all(np.isnan(machine.chain(chain)))


def test_an_odd_k_does_not_read_the_next_element(machine: Machine) -> None:
    left, right = np.ones((8, 4), np.float32), np.ones((4, 32), np.float32)
    left[:, 3] = right[3] = np.inf
    a, b = _at(BFLOAT16.store(left)[:, :3], BF16), _at(BFLOAT16.store(right)[:3], BF16)
    assert np.all(machine.chain([(a, b)]) == 3.0)


def test_an_odd_k_does_not_read_what_an_earlier_product_left(machine: Machine) -> None:
    for k, value in ((5, np.inf), (3, 1.0)):
        left, right = np.full((8, k), value, np.float32), np.ones((k, 32), np.float32)
        actual = machine.chain([(Matrix(values=left, format=BF16), Matrix(values=right, format=BF16))])
        assert np.all(actual == k * value)


def test_a_packed_operand_is_forgotten_at_a_reset(machine: Machine) -> None:
    a, b = matrix(0, 16, 24, BF16), matrix(1, 24, 32, BF16)
    before = machine.chain([(a, b)])
    b.memory[:] = BFLOAT16.store(2 * b.values)
    machine.reset()
    np.testing.assert_array_equal(machine.chain([(a, b)]), 2 * before)


def test_operands_at_other_addresses_are_packed_again(machine: Machine) -> None:
    # More of them than are kept, in an order that comes back to each.
    a = matrix(0, 8, 16, BF16)
    rights = [matrix(1 + i, 16, 32, BF16) for i in range(100)]
    machine.reset()
    for i in [*range(100), *range(0, 100, 7), *range(99, -1, -1), 5, 5]:
        check(machine.chain([(a, rights[i])]), [(a, rights[i])])


def _at(memory: np.ndarray, format: int) -> Matrix:
    """The matrix that lies in ``memory``."""
    matrix = Matrix(values=np.zeros(memory.shape), format=format)
    matrix.memory = memory
    matrix.values = matrix.load()
    return matrix


def test_the_stride_belongs_to_a_packed_operand(machine: Machine) -> None:
    whole = matrix(0, 32, 32).memory
    a = Matrix(values=np.eye(16, dtype=np.float32))
    for rows in (whole[:16], whole[::2]):
        np.testing.assert_array_equal(machine.chain([(a, _at(rows, FLOAT32))]), rows)


def test_a_change_of_shape_forgets_what_is_packed(machine: Machine) -> None:
    # The same address and stride: all of it, fewer columns, fewer rows, and read in the other format.
    halves = matrix(0, 64, 128, BF16).memory
    memory = halves.view(np.float32)
    for rights in (_at(memory, FLOAT32), _at(memory[:, :32], FLOAT32), _at(memory[:32, :32], FLOAT32)):
        chain = [(matrix(1, 8, rights.values.shape[0]), rights)]
        check(machine.chain(chain), chain)
    chain = [(matrix(1, 8, 32), _at(halves[:32, :32], BF16))]
    check(machine.chain(chain), chain)


def test_operands_too_large_to_be_kept(machine: Machine) -> None:
    # 9 MB packed as bfloat16, 18 MB as float32.
    for formats in FORMATS[:2]:
        chain = chain_of(3, 1100, [2100, 2000], [formats] * 2)
        first = machine.chain(chain)
        check(first, chain)
        chain[0][1].memory[:] = 0
        chain[0][1].values = chain[0][1].load()
        check(machine.chain(chain), chain)


def test_bits_depend_on_neither_the_order_of_tasks_nor_on_what_is_packed(machine: Machine) -> None:
    lefts = [matrix(i, 32, 64, BF16) for i in range(6)]
    rights = [matrix(50 + i, 64, 32, BF16) for i in range(6)]
    chains = [[(a, b)] for a in lefts for b in rights]
    together = np.empty((36, 32, 32), np.float32)
    machine.chains(chains, together)
    for i in np.random.default_rng(0).permutation(36):
        machine.reset()
        np.testing.assert_array_equal(machine.chain(chains[i]), together[i])


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
def test_bits_do_not_depend_on_where_a_sum_is_cut(machine: Machine, formats: tuple[int, int]) -> None:
    # k is long enough for several pieces. Cut after a multiple of 32, which is a tile.
    m, n, k = 19, 70, 3072
    a, b = matrix(0, m, k, formats[0]), matrix(1, k, n, formats[1])
    whole = machine.chain([(a, b)])

    def part(start: int, stop: int) -> tuple[Matrix, Matrix]:
        left = Matrix(values=a.values[:, start:stop], format=formats[0])
        return left, Matrix(values=b.values[start:stop], format=formats[1])

    cuts = [part(start, start + 192) for start in range(0, k, 192)]
    np.testing.assert_array_equal(machine.chain(cuts), whole)
    halfway = machine.chain([part(0, 1312)])
    np.testing.assert_array_equal(machine.chain([part(1312, k)], halfway), whole)
    rows = [Matrix(values=a.values[row : row + 1], format=formats[0]) for row in range(m)]
    np.testing.assert_array_equal(np.vstack([machine.chain([(row, b)]) for row in rows]), whole)


@settings(max_examples=40)
@given(data=st.data())
def test_subnormal_numbers_infinities_and_nan(machine: Machine, data: st.DataObject) -> None:
    m, n, k = (data.draw(st.integers(1, most)) for most in (40, 70, 100))
    left_format, right_format = data.draw(st.sampled_from(FORMATS))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    a = generator.standard_normal((m, k)).astype(np.float32)
    b = generator.standard_normal((k, n)).astype(np.float32) * np.float32(2.0**20)
    a[0] *= np.float32(2.0**-129)  # all of a row is subnormal, and its products with B are not
    for matrix in (a, b):
        for special in data.draw(st.lists(st.sampled_from([np.inf, -np.inf, np.nan, 0.0, -0.0]), max_size=2)):
            matrix[generator.integers(matrix.shape[0]), generator.integers(matrix.shape[1])] = special
    chain = [(Matrix(values=a, format=left_format), Matrix(values=b, format=right_format))]
    machine.reset()
    actual = machine.chain(chain).astype(np.float64)
    left, right = (side.values.astype(np.float64) for side in chain[0])
    least = 2.0**-149
    if machine.isa in FLUSHING and FLOAT32 not in (left_format, right_format):
        least = 2.0**-126
        left, right = (np.where(np.abs(side) < least, np.copysign(0.0, side), side) for side in (left, right))
    with np.errstate(invalid="ignore"):
        exact, magnitude = left @ right, np.abs(left) @ np.abs(right)
        bound = (EPSILON * magnitude + least) * (2 * k + 1)
        near = np.abs(actual - exact) <= np.where(np.isfinite(bound), bound, 0.0)
    assert np.all(near | (actual == exact) | (np.isnan(actual) & np.isnan(exact)))


def computed(isa: str, chain: Chain) -> np.ndarray:
    """The chain with this instruction set."""
    library = _library()
    if not library.ttl_gemm_has(ISAS.index(isa)):
        pytest.skip(f"this processor has no {isa}")
    before = library.ttl_gemm_isa()
    assert library.ttl_gemm_use(ISAS.index(isa))
    machine = Machine(library, isa)
    result = machine.chain(chain)
    machine.close()
    library.ttl_gemm_use(before)
    return result


@pytest.mark.parametrize("formats", FORMATS, ids=FORMAT_IDS)
def test_products_of_floats_have_the_same_bits_on_vectors_of_any_width(formats: tuple[int, int]) -> None:
    """So ``make test``, which computes with one of these, gives the same on all machines (``tests/conftest.py``)."""
    chain = chain_of(37, 90, [128, 5, 64, 1100], [formats] * 4)
    expected = computed("avx512", chain)
    np.testing.assert_array_equal(computed("avx2", chain), expected)
    # Without fused products the product of two float32 is rounded, that of two bfloat16 is exact.
    if FLOAT32 not in formats:
        np.testing.assert_array_equal(computed("plain", chain), expected)


def test_the_emulated_tiles_compute_as_the_processor_does() -> None:
    chain = chain_of(37, 90, [128, 5, 64, 1100], [FORMATS[1]] * 4)
    np.testing.assert_array_equal(computed("emulated_amx", chain), computed("amx", chain))


@given(data=st.data())
def test_random_chains(machine: Machine, data: st.DataObject) -> None:
    m, n = data.draw(st.integers(1, 70)), data.draw(st.integers(1, 290))
    k = data.draw(st.lists(st.integers(1, 140), min_size=1, max_size=5))
    formats = data.draw(st.lists(st.sampled_from(FORMATS), min_size=len(k), max_size=len(k)))
    chain = chain_of(m, n, k, formats, gap=data.draw(st.integers(0, 5)))
    base = data.draw(st.sampled_from([None, matrix(1000, m, n).values]))
    check(machine.chain(chain, base), chain, base)
