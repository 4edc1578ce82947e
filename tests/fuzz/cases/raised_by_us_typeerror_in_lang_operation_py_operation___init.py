# was: raised by us: TypeError in lang/operation.py Operation.__init__
# is: TTL0209
import torch
import ttl

r0 = ttl.Operation(ttl.Pipe((), ()), grid=torch.bfloat16, options=())
