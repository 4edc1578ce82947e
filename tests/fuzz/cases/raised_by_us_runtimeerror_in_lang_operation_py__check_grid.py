# was: raised by us: RuntimeError in lang/operation.py _check_grid
# is: TTL0207
import torch
import ttl


@ttl.operation(grid=(torch.zeros(32),))
def fma():
    pass
