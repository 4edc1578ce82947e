# was: warning of Python: RuntimeWarning in sim/pipes.py
# is: TTL0227
import torch
import ttl
import ttnn


@ttl.operation()
def spread(a, y):
    back_net = ttl.PipeNet([ttl.Pipe(src=(x,), dst=(0,)) for x in range(1)])

    @ttl.datamovement()
    def read():

        async def collect(pipe):
            pass

        back_net.if_dst(collect)


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data)
y = ttnn.zeros(())
spread(a, y)
