# was: file: TypeError in frontend/statements.py Statements.block
import ttl


@ttl.operation(lambda *a: None)
def op():
    pass
