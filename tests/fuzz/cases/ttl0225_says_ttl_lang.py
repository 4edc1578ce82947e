# was: TTL0225 says 'ttl.lang.'
# is: TTL0225
import torch
import ttl
import ttnn


@ttl.operation()
def spread(a, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1,))

    @ttl.datamovement(**dfb)
    def read():
        pass


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data)
y = ttnn.zeros(())
spread(a, y)
