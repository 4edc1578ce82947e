"""All of it is in functions, with an argument, and prints what it likes."""

import argparse

import numpy as np
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def multiply_add(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    column, row = ttl.node(dims=2)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[row, column], a_blk)
            b_xf = ttl.copy(b[row, column], b_blk)
            a_xf.wait()
            b_xf.wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk * b_blk + a_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[row, column]).wait()


def compute(a, b, device):
    def to_device(values):
        return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)

    y = to_device(np.zeros_like(a))
    multiply_add(to_device(a), to_device(b), y)
    return ttnn.to_numpy(y).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=64)
    size = parser.parse_args().size
    generator = np.random.default_rng(size)
    a, b = (generator.standard_normal((size, size)).astype(np.float32) for _ in range(2))
    device = ttnn.open_device(device_id=0)
    result = compute(a, b, device)
    print("close:", np.allclose(result, a * b + a, rtol=0.05, atol=0.05))
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
