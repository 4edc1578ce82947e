# was: hang: in sim/launch.py launch
# is: TTL0801
import ttl
import ttnn


@ttl.operation()
def softmax(x):
    ttl.make_dataflow_buffer_like(x, shape=(64 << 32,))
    ttl.make_dataflow_buffer_like(x, shape=(10**30,))


softmax(ttnn.ones((32, 32)))
