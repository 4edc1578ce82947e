# was: raised by us: AttributeError in rows/dtypes.py DType.store
# is: TTL0428
import ttnn

ttnn.bfloat16.store(ttnn)
