# was: raised by us: ValueError in lang/operation.py _check_grid
# is: TTL0207
import numpy as np
import ttl


@ttl.operation(grid=(np.zeros((32,)),))
def op():
    pass
