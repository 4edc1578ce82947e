# was: raised by us: AttributeError in ops/dtypes.py DType.store
# is: TTL0428
import ttnn

ttnn.bfloat16.store(ttnn)
