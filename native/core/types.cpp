// What the core knows of the types of blocks and of operations: looked at once, and kept for ever.
#include "core.h"

namespace ttl::core {

namespace {

std::unordered_map<PyObject *, OpInfo *> operations;
std::unordered_map<PyObject *, TypeInfo *> types;
int64_t next_instr = 1;

// A buffer of any size can be asked for; that it does not fit is found out when all of a node are known.
constexpr int64_t kImmense = int64_t{1} << 60;

int64_t product(const int64_t *values, int count) {
  int64_t result = 1;
  for (int i = 0; i < count; i++)
    if (__builtin_mul_overflow(result, values[i], &result)) return kImmense;
  return result;
}

int64_t extent(PyObject *number) {
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  return overflow ? kImmense : value;
}

Format format_named(const char *name) {
  if (!std::strcmp(name, "bfloat16")) return Format::BF16;
  if (!std::strcmp(name, "float16")) return Format::F16;
  if (!std::strcmp(name, "bfloat8_b")) return Format::BFP8;
  if (!std::strcmp(name, "bfloat4_b")) return Format::BFP4;
  return Format::F32;
}

bool fill_type(TypeInfo *info, PyObject *type) {
  PyObject *dtype = PyObject_GetAttrString(type, "dtype"), *elements = PyObject_GetAttrString(type, "elements");
  PyObject *nbytes = PyObject_GetAttrString(type, "nbytes"), *layout = PyObject_GetAttrString(type, "layout");
  PyObject *name = nullptr, *is_float = nullptr, *storage = nullptr, *itemsize = nullptr;
  bool good = dtype && elements && nbytes && layout && PyTuple_Check(elements) &&
              PyTuple_GET_SIZE(elements) <= kMaxRank;
  if (good) {
    name = PyObject_GetAttrString(dtype, "name");
    is_float = PyObject_GetAttrString(dtype, "is_float");
    storage = PyObject_GetAttrString(dtype, "storage");
    itemsize = storage ? PyObject_GetAttrString(storage, "itemsize") : nullptr;
    good = name && is_float && storage && itemsize;
  } else if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "a block of more than %d dimensions", kMaxRank);
  }
  if (good) {
    info->type = Py_NewRef(type);
    info->dtype = Py_NewRef(dtype);
    info->storage = Py_NewRef(storage);
    info->nbytes = extent(nbytes);
    info->rank = static_cast<int32_t>(PyTuple_GET_SIZE(elements));
    for (int i = 0; i < info->rank; i++) info->elements[i] = extent(PyTuple_GET_ITEM(elements, i));
    info->cols = info->rank ? info->elements[info->rank - 1] : 1;
    info->rows = info->rank > 1 ? info->elements[info->rank - 2] : 1;
    info->outer = info->rank > 2 ? product(info->elements, info->rank - 2) : 1;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) text = "";  // the error is seen below
    info->is_float = PyObject_IsTrue(is_float);
    info->is_number = std::strstr(text, "number") != nullptr;
    info->format = info->is_float ? format_named(text) : kNoFormat;
    info->itemsize = static_cast<int32_t>(PyLong_AsLong(itemsize));
    const char *word = PyUnicode_AsUTF8(layout);
    info->tiled = word && !std::strcmp(word, "TILE");
  }
  for (PyObject *each : {dtype, elements, nbytes, layout, name, is_float, storage, itemsize}) Py_XDECREF(each);
  return good && !PyErr_Occurred();
}

}  // namespace

bool same(PyObject *a, PyObject *b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    Py_ssize_t n = PyTuple_GET_SIZE(a);
    if (n != PyTuple_GET_SIZE(b)) return false;
    for (Py_ssize_t i = 0; i < n; i++)
      if (!same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
    return true;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

TypeInfo *type_info(PyObject *type) {
  auto known = types.find(type);
  if (known != types.end()) return known->second;
  auto *info = new TypeInfo();
  if (!fill_type(info, type)) {
    delete info;
    return nullptr;
  }
  info->id = static_cast<int64_t>(types.size()) + 1;
  types.emplace(type, info);
  return info;
}

static bool is_named(PyObject *op, const char *name) {
  PyObject *own = PyObject_GetAttrString(op, "name");
  if (!own) PyErr_Clear();
  bool same = own && PyUnicode_Check(own) && PyUnicode_CompareWithASCIIString(own, name) == 0;
  Py_XDECREF(own);
  return same;
}

OpInfo *op_info(PyObject *op) {
  auto known = operations.find(op);
  if (known != operations.end()) return known->second;
  PyObject *operands = PyObject_GetAttrString(op, "operands"), *neutral = PyObject_GetAttrString(op, "neutral");
  if (!operands || !neutral) {
    Py_XDECREF(operands);
    Py_XDECREF(neutral);
    return nullptr;
  }
  auto *info = new OpInfo{Py_NewRef(op), static_cast<int32_t>(operations.size()) + 1,
                          static_cast<int32_t>(PyTuple_Size(operands)), neutral != Py_None, is_named(op, "matmul"), {}};
  Py_DECREF(operands);
  Py_DECREF(neutral);
  operations.emplace(op, info);
  return info;
}

Instr *instr_for(OpInfo *op, PyObject *params, TypeInfo *type) {
  // A program uses a handful; looked for only when a type was inferred anew.
  static std::unordered_map<uint64_t, std::vector<Instr *>> known;
  auto &same_kind = known[static_cast<uint64_t>(op->id) << 32 | static_cast<uint64_t>(type->id)];
  for (Instr *each : same_kind)
    if (same(each->params, params)) return each;
  auto *instr = new Instr{op, Py_NewRef(params), type, next_instr++};
  same_kind.push_back(instr);
  return instr;
}

}  // namespace ttl::core
