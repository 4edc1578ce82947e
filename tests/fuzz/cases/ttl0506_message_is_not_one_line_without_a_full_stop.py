# was: TTL0506: message is not one line without a full stop
# is: TTL1024
import torch
import ttl
import ttnn


@ttl.operation()
def op(a, y):

    @ttl.datamovement()
    def read():
        xf = ttl.copy(a[(ttnn.ones(()),),])


data = torch.arange(1024.0).reshape(32, 32)
a = ttnn.from_torch(data)
y = ttnn.zeros(())
op(a, y)
