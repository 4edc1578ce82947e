# was: warning of Python: RuntimeWarning in sim/launch.py
# is: TTL0330
import torch
import ttl
import ttnn


def mover(dfb, tensor, count, outward):

    def move():
        for index in range(count):
            with dfb.wait() if outward else dfb.reserve() as blk:
                part = tensor[index, 0:2]
                xf = ttl.copy() if outward else ttl.copy(part, blk)
                xf.wait()

    return ttl.datamovement()(move)


@ttl.operation()
def op(a, y):
    dfbs = [ttl.make_dataflow_buffer_like(t, shape=(2,)) for t in (a, y)]
    read = mover(dfbs[0], a, 2, False)

    @ttl.compute()
    def compute():

        async def scaled(blk):
            pass

        with dfbs[0].wait() as a_blk, dfbs[1].reserve() as y_blk:
            y_blk.store(scaled(a_blk))


data = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
a = ttnn.from_torch(data)
y = ttnn.empty_like(a)
op(a, y)
