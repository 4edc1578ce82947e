// The extension module ttl._core.
#include "core.h"
#include "pending.h"
#include "pool.h"

#ifndef TTL_SOURCES_HASH
#define TTL_SOURCES_HASH ""
#endif

namespace ttl::core {

PyObject *configure_operators(PyObject *, PyObject *);
PyObject *configure_arrays(PyObject *, PyObject *);
PyObject *configure_tables(PyObject *, PyObject *);
PyObject *configure_pipes(PyObject *, PyObject *);
PyObject *configure_types(PyObject *, PyObject *);
PyObject *bind_tensor(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *write(PyObject *, PyObject *);
PyObject *slice_of(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *net_view(PyObject *, PyObject *const *, Py_ssize_t);
PyObject *same_pipes(PyObject *, PyObject *);
PyObject *forget_views(PyObject *, PyObject *);
PyObject *make_nodes(PyObject *, PyObject *);
PyObject *buffer_signature(PyObject *, PyObject *);
PyObject *any_unread(PyObject *, PyObject *);
PyObject *take_apart(PyObject *, PyObject *);
PyObject *user_site_tuple(PyObject *, PyObject *);
PyObject *note_match(PyObject *, PyObject *const *, Py_ssize_t);

namespace {

// configure_classes({name: class}): the Python classes that fast paths make instances of.
PyObject *configure_classes(PyObject *, PyObject *map) {
  struct Named {
    const char *name;
    PyTypeObject **field;
  };
  const Named named[] = {{"block", &classes.block},       {"expr", &classes.expr},         {"transfer", &classes.transfer},
                         {"value", &classes.value},       {"slice", &classes.slice},       {"buffer", &classes.buffer},
                         {"send", &classes.send},         {"receive", &classes.receive},   {"src_end", &classes.src_end},
                         {"dst_end", &classes.dst_end},   {"tensor", &classes.tensor},     {"kernel", &classes.kernel},
                         {"net_view", &classes.net_view}, {"message", &classes.message},
                         {"kernel_name", &classes.kernel_name}, {"node", &classes.node},
                         {"pipe", &classes.pipe}};
  if (!PyDict_Check(map)) {
    PyErr_SetString(PyExc_TypeError, "a dict of classes");
    return nullptr;
  }
  for (const Named &each : named) {
    PyObject *found = PyDict_GetItemString(map, each.name);
    if (!found) continue;
    if (!PyType_Check(found)) {
      PyErr_Format(PyExc_TypeError, "%s is not a class", each.name);
      return nullptr;
    }
    assign(*each.field, reinterpret_cast<PyTypeObject *>(found));
    if (each.field == &classes.block) pool_instances<Block>(classes.block);
    if (each.field == &classes.transfer) pool_instances<Transfer>(classes.transfer);
    if (each.field == &classes.value) pool_instances<Value>(classes.value);
    if (each.field == &classes.slice) pool_instances<Slice>(classes.slice);
    if (each.field == &classes.send) pool_instances<Send>(classes.send);
    if (each.field == &classes.receive) pool_instances<Receive>(classes.receive);
    if (each.field == &classes.message) pool_instances<Message>(classes.message);
    if (each.field == &classes.pipe) pipe_class_setup(classes.pipe);
    if (each.field == &classes.expr) pool_instances<Expr>(classes.expr);
  }
  struct Object {
    const char *name;
    PyObject **field;
  };
  const Object objects[] = {{"package_folder", &classes.package_folder},
                            {"operations_folder", &classes.operations_folder},
                            {"wait_for_space", &classes.wait_for_space},
                            {"wait_for_data", &classes.wait_for_data},
                            {"left_out", &classes.left_out},
                            {"used_after", &classes.used_after},
                            {"release_unused", &classes.release_unused}};
  for (const Object &each : objects)
    if (PyObject *found = PyDict_GetItemString(map, each.name)) assign(*each.field, found);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"configure_classes", configure_classes, METH_O, nullptr},
    {"configure_operators", configure_operators, METH_VARARGS, nullptr},
    {"configure_arrays", configure_arrays, METH_VARARGS, nullptr},
    {"configure_tables", configure_tables, METH_O, nullptr},
    {"configure_pipes", configure_pipes, METH_VARARGS, nullptr},
    {"configure_types", configure_types, METH_VARARGS, nullptr},
    {"bind_tensor", reinterpret_cast<PyCFunction>(bind_tensor), METH_FASTCALL, nullptr},
    {"forget_views", forget_views, METH_O, nullptr},
    {"same_pipes", same_pipes, METH_VARARGS, nullptr},
    {"make_nodes", make_nodes, METH_VARARGS, nullptr},
    {"buffer_signature", buffer_signature, METH_O, nullptr},
    {"any_unread", any_unread, METH_O, nullptr},
    {"take_apart", take_apart, METH_O, nullptr},
    {"user_site", user_site_tuple, METH_NOARGS, nullptr},
    {"net_view", reinterpret_cast<PyCFunction>(net_view), METH_FASTCALL, nullptr},
    {"write", write, METH_VARARGS, nullptr},
    {"slice_of", reinterpret_cast<PyCFunction>(slice_of), METH_FASTCALL, nullptr},
    {"note_match", reinterpret_cast<PyCFunction>(note_match), METH_FASTCALL, nullptr},
    {}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "ttl._core", "The control plane of the simulator.", -1, methods,
                          nullptr, nullptr, nullptr, nullptr};

struct Exported {
  const char *name;
  PyTypeObject *type;
};
const Exported exported[] = {
    {"Engine", &EngineType},       {"Scheduler", &SchedulerType},       {"Node", &NodeType},
    {"Kernel", &KernelType},       {"Buffer", &BufferType},             {"Block", &BlockType},
    {"Transfer", &TransferType},   {"Value", &ValueType},               {"Slice", &SliceType},
    {"Expr", &ExprType},           {"Storage", &StorageType},           {"Region", &RegionType},
    {"Pending", &PendingType},     {"Number", &NumberType},             {"Pipe", &PipeType},                 {"PipeEnd", &PipeEndType},
    {"PipeTransfer", &PipeTransferType}, {"Message", &MessageType},     {"Net", &NetType},
    {"NetView", &NetViewType},     {"TensorBase", &TensorBaseType},     {"Tape", &TapeType},
    {"FastFunction", &FastFunctionType}, {"KernelName", &KernelNameType},
    {"PipeSpec", &PipeSpecType}};

}  // namespace

bool add_types(PyObject *module) {
  for (const Exported &each : exported)
    if (PyType_Ready(each.type) < 0 || PyModule_AddObjectRef(module, each.name, as_object(each.type)) < 0) return false;
  return true;
}

}  // namespace ttl::core

PyMODINIT_FUNC PyInit__core() {
  using namespace ttl::core;
  if (!scheduler_setup() || machine_setup() < 0) return nullptr;
  PyObject *module = PyModule_Create(&definition);
  if (!module) return nullptr;
  if (!add_types(module) || !blocks_setup() || !memory_setup() || PyModule_AddStringConstant(module, "SOURCES_HASH", TTL_SOURCES_HASH) < 0) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
