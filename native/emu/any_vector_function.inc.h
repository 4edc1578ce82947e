// Every kernel of the vector unit as `ANY(name, ...)`, and its other names as `ALSO(name, of)`.
#define NONE ANY
#define ONE ANY
#define TWO ANY
#define THREE ANY
#define INT1 ANY
#define INT2 ANY
#define OTHER ANY
#define COARSE(...)
#include "vector_functions.inc.h"
#undef NONE
#undef ONE
#undef TWO
#undef THREE
#undef INT1
#undef INT2
#undef OTHER
#undef COARSE
