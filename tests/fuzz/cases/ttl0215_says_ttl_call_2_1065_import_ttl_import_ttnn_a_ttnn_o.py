# was: TTL0215 says '<ttl.' (call_2_1065)
# is: not python
import ttl
import ttnn
a = ttnn.ones(())

@ttl.operation()
def op(a, b, y):
    result = ttl.operation(options=op)
y = ttnn.zeros(())
op(a, a, y)
--- now
error[TTL0215]: unknown flag <ttl.operation in options of ttl.operation
 --> /fuzz/call_2_1065.py:7:14
  |
7 |     result = ttl.operation(options=op)
  |              ^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = note: known flags: --fp32-dest-acc-en, --no-fp32-dest-acc-en, --dst-full-sync-en, --no-dst-full-sync-en
  = help: drop it, or say what it should do as an argument of ttl.operation

=== TTL0307 points at another file (older_2_1627)
import torch
import ttl
import ttnn

@ttl.operation()
def op(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        a_blk = a_dfb.reserve()
        xf = ttl.copy(a[0,], a_blk)

    @ttl.compute()
    def compute():
        a_blk = a_dfb.wait()
        y_blk = y_dfb.reserve()
        y_blk.store(a_blk)
        y_dfb.push()
        y_blk.store(a_blk)
data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((), layout=ttnn.TILE_LAYOUT)
op(a, y)
--- now
error[TTL0307]: block of y_dfb stored into after it was pushed
   --> /fuzz/older_2_1627.py:21:9
    |
 21 |         y_blk.store(a_blk)
    |         ^^^^^^^^^^^^^^^^^^
    |
   ::: src/ttl/sim/buffer.py:146:9
    |
146 |         self.held_reserved[0].push()
    |         ---------------------------- pushed here
    |
    = note: after the release the memory belongs to the other kernel
    = note: in kernel compute on node (0, 0)
    = help: move the use before the release, or acquire another block with reserve()

=== TTL0225: message is not one line without a full stop
import torch
import ttl
data = torch.linspace(ttl.PipeNet([])).reshape()
