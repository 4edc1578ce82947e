// Fields of our structs as Python attributes: None stands for a null pointer.
#pragma once

#include "core.h"

namespace ttl::core {

template <size_t offset>
PyObject *get_object(PyObject *self, void *) {
  return none_or(*reinterpret_cast<PyObject **>(reinterpret_cast<char *>(self) + offset));
}

// `closure` is the type a value must have, or null.
template <size_t offset>
int set_object(PyObject *self, PyObject *value, void *closure) {
  auto *type = static_cast<PyTypeObject *>(closure);
  if (value == Py_None) value = nullptr;
  if (value && type && !PyObject_TypeCheck(value, type)) {
    PyErr_Format(PyExc_TypeError, "expected %s, not %s", type->tp_name, Py_TYPE(value)->tp_name);
    return -1;
  }
  assign(*reinterpret_cast<PyObject **>(reinterpret_cast<char *>(self) + offset), value);
  return 0;
}

// For what an object cannot do without: it is replaced, never removed. `closure` is the type it must have.
template <size_t offset>
int set_required(PyObject *self, PyObject *value, void *closure) {
  if (!value || value == Py_None) {
    PyErr_SetString(PyExc_TypeError, "this attribute cannot be removed");
    return -1;
  }
  return set_object<offset>(self, value, closure);
}

template <size_t offset>
PyObject *get_site(PyObject *self, void *) {
  return site_tuple(*reinterpret_cast<Site *>(reinterpret_cast<char *>(self) + offset));
}

template <size_t offset>
int set_site(PyObject *self, PyObject *value, void *) {
  return site_from(reinterpret_cast<Site *>(reinterpret_cast<char *>(self) + offset), value);
}

}  // namespace ttl::core

#define TTL_OBJECT(type, field) \
  {#field, get_object<offsetof(type, field)>, set_object<offsetof(type, field)>, nullptr, nullptr}
#define TTL_TYPED(type, field, of) \
  {#field, get_object<offsetof(type, field)>, set_object<offsetof(type, field)>, nullptr, static_cast<void *>(&of)}
#define TTL_REQUIRED(type, field, of) \
  {#field, get_object<offsetof(type, field)>, set_required<offsetof(type, field)>, nullptr, static_cast<void *>(&of)}
#define TTL_NAMED(type, name, field) \
  {name, get_object<offsetof(type, field)>, set_object<offsetof(type, field)>, nullptr, nullptr}
#define TTL_SITE(type, field) \
  {#field, get_site<offsetof(type, field)>, set_site<offsetof(type, field)>, nullptr, nullptr}
#define TTL_INT(type, field) \
  {#field, T_LONGLONG, offsetof(type, field), 0, nullptr}
#define TTL_FLAG(type, field) \
  {#field, T_BOOL, offsetof(type, field), 0, nullptr}
