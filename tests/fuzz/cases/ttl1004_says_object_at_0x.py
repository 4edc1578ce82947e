# was: TTL1004 says 'object at 0x'
# is: TTL1004
import ttnn

r0 = ttnn.ne(object(), input_tensor_b=-1)
