"""A kernel for models: ``x * gate + x``, tile by tile, each node a row of tiles after the other.

``three_operations.mlir`` calls it by the name ``gated.gated::v1``;
``docs/ttmlir/tt-lang.md`` says how that model is compiled and run.
"""

import ttl
import ttnn

from ttmlir.tt_lang import tt_lang_operation


def by_numpy(x, gate):
    """The result in float64, for golden results."""
    return x * gate + x


@tt_lang_operation("gated.gated::v1", version_tag="1", arg_roles="in,in,out", reference=by_numpy)
@ttl.operation(grid=(2, 1))
def gated(x: ttnn.Tensor, gate: ttnn.Tensor, out: ttnn.Tensor) -> None:
    row_tiles, col_tiles = (-(-extent // ttl.TILE_SHAPE[0]) for extent in x.shape)
    own_rows = range(ttl.node(dims=1), row_tiles, ttl.grid_size(dims=1))

    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for row in own_rows:
            for col in range(col_tiles):
                with x_dfb.reserve() as x_blk, gate_dfb.reserve() as gate_blk:
                    x_xf = ttl.copy(x[row, col], x_blk)
                    gate_xf = ttl.copy(gate[row, col], gate_blk)
                    x_xf.wait()
                    gate_xf.wait()

    @ttl.compute()
    def compute():
        for _ in own_rows:
            for _ in range(col_tiles):
                with x_dfb.wait() as x_blk, gate_dfb.wait() as gate_blk, out_dfb.reserve() as out_blk:
                    out_blk.store(x_blk * gate_blk + x_blk)

    @ttl.datamovement()
    def write():
        for row in own_rows:
            for col in range(col_tiles):
                with out_dfb.wait() as out_blk:
                    out_xf = ttl.copy(out_blk, out[row, col])
                    out_xf.wait()
