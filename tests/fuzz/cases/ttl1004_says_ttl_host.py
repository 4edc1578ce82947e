# was: TTL1004 says 'ttl.host.'
# is: TTL1004
import ttnn

r0 = ttnn.to_numpy(ttnn.Tensor)
