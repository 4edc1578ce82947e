# was: raised by us: AttributeError in diag/errors.py TTLError.__init__
# is: ok
import ttl

r0 = ttl.ProgramError(0.0)
