# was: TTL1011 says 'ttl.lang.'
# is: TTL1011
import ttl
import ttnn

device = ttnn.open_device(device_id=ttl.Block)
