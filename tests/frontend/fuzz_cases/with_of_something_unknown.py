# was: file: NotKnown in frontend/unknown.py _use
with nobody.knows() as it:
    pass
