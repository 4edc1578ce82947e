// What a launch computed, kept to be computed again with other data.
#include "fields.h"
#include "pending.h"

namespace ttl::core {

struct Tape {
  PyObject_HEAD
};

void tape_group(Tape *, const std::shared_ptr<machine::Program> &, size_t, const machine::Task *, size_t) {}
void tape_copy(Tape *, char *, int64_t, int64_t, const char *, int64_t, int64_t, int64_t, int64_t, int64_t) {}
void tape_refuse(Tape *, const char *) {}

PyTypeObject TapeType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Tape",
    .tp_basicsize = sizeof(Tape),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
};

}  // namespace ttl::core
