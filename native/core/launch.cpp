// What a launch does once per node: in C, since it is all there is to a small operation.
#include "core.h"

namespace ttl::core {

// make_nodes(engine, grid): the nodes of a launch with their bodies, row-major.
PyObject *make_nodes(PyObject *, PyObject *args) {
  PyObject *engine, *grid;
  if (!PyArg_ParseTuple(args, "O!O!", &EngineType, &engine, &PyTuple_Type, &grid)) return nullptr;
  Py_ssize_t dims = PyTuple_GET_SIZE(grid);
  std::vector<long long> extents;
  long long count = 1;
  for (Py_ssize_t i = 0; i < dims; i++) {
    extents.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(grid, i)));
    count *= extents.back();
  }
  if (PyErr_Occurred()) return nullptr;
  PyObject *nodes = PyList_New(count), *name = PyUnicode_InternFromString("operation body");
  for (long long index = 0; nodes && name && index < count; index++) {
    PyObject *coord = PyTuple_New(dims);
    long long rest = index;
    for (Py_ssize_t i = dims - 1; coord && i >= 0; i--) {
      PyTuple_SET_ITEM(coord, i, PyLong_FromLongLong(rest % extents[static_cast<size_t>(i)]));
      rest /= extents[static_cast<size_t>(i)];
    }
    PyObject *number = PyLong_FromLongLong(index);
    PyObject *init[] = {engine, number, coord};
    PyObject *node = coord && number ? PyObject_Vectorcall(as_object(classes.node), init, 3, nullptr) : nullptr;
    Py_XDECREF(coord);
    Py_XDECREF(number);
    PyObject *body[] = {node, name, Py_None, Py_None};
    PyObject *kernel = node ? PyObject_Vectorcall(as_object(classes.kernel), body, 4, nullptr) : nullptr;
    if (!kernel) {
      Py_XDECREF(node);
      clear(nodes);
      break;
    }
    assign(reinterpret_cast<Node *>(node)->body, kernel);
    Py_DECREF(kernel);
    PyList_SET_ITEM(nodes, index, node);
  }
  Py_XDECREF(name);
  return nodes;
}

// An item of a list that Python code can reach, borrowed; null with an error set where it is something else.
template <typename T>
T *item(PyObject *list, Py_ssize_t i, PyTypeObject &type) {
  PyObject *found = PyList_GET_ITEM(list, i);
  if (PyObject_TypeCheck(found, &type)) return reinterpret_cast<T *>(found);
  PyErr_Format(PyExc_TypeError, "expected %s, not %s", type.tp_name, Py_TYPE(found)->tp_name);
  return nullptr;
}

// buffer_signature(node): types and block counts of its buffers, as something to compare.
PyObject *buffer_signature(PyObject *, PyObject *object) {
  if (!PyObject_TypeCheck(object, &NodeType)) {
    PyErr_SetString(PyExc_TypeError, "a node");
    return nullptr;
  }
  PyObject *buffers = reinterpret_cast<Node *>(object)->buffers;
  std::vector<int64_t> numbers;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(buffers); i++) {
    auto *buffer = item<Buffer>(buffers, i, BufferType);
    if (!buffer) return nullptr;
    numbers.push_back(buffer->type->id);
    numbers.push_back(buffer->block_count);
  }
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(numbers.data()),
                                   static_cast<Py_ssize_t>(numbers.size() * sizeof(int64_t)));
}

// any_unread(nodes): whether any buffer has a block that nobody waited for.
PyObject *any_unread(PyObject *, PyObject *nodes) {
  for (Py_ssize_t i = 0; PyList_Check(nodes) && i < PyList_GET_SIZE(nodes); i++) {
    auto *node = item<Node>(nodes, i, NodeType);
    if (!node) return nullptr;
    for (Py_ssize_t j = 0; j < PyList_GET_SIZE(node->buffers); j++) {
      auto *buffer = item<Buffer>(node->buffers, j, BufferType);
      if (!buffer) return nullptr;
      if (PyList_GET_SIZE(buffer->slots)) Py_RETURN_TRUE;
    }
  }
  Py_RETURN_FALSE;
}

// Blocks and transfers are not seen by the collector: cut the circles they are in, where a launch has failed.
void let_go(PyObject *held) {
  PyObject *blocks = PyList_GetSlice(held, 0, PyList_GET_SIZE(held));
  if (!blocks || PyList_SetSlice(held, 0, PyList_GET_SIZE(held), nullptr) < 0) PyErr_Clear();
  for (Py_ssize_t i = 0; blocks && i < PyList_GET_SIZE(blocks); i++) {
    PyObject *block = PyList_GET_ITEM(blocks, i);
    if (PyObject_TypeCheck(block, &BlockType)) clear(reinterpret_cast<Block *>(block)->transfers);
  }
  Py_XDECREF(blocks);
}

void take_apart_buffer(Buffer *buffer) {
  clear(buffer->producer);
  clear(buffer->consumer);
  clear(buffer->waiting_producer);
  clear(buffer->waiting_consumer);
  clear(buffer->last_reserved);
  clear(buffer->last_waited);
  clear(buffer->wait_for_space);
  clear(buffer->wait_for_data);
  if (PyList_GET_SIZE(buffer->held_reserved)) let_go(buffer->held_reserved);
  if (PyList_GET_SIZE(buffer->held_waited)) let_go(buffer->held_waited);
}

// A block in a variable that a kernel captures holds its kernel.
void take_apart_kernel(Kernel *kernel) {
  clear(kernel->function);
  clear(kernel->greenlet);
  clear(kernel->waiting);
}

// take_apart(nodes): the launch is over; nothing of it shall keep the rest alive. What goes may run code of the user's
// (greenlets that end, destructors), which may change the lists: whatever is worked on is held.
PyObject *take_apart(PyObject *, PyObject *nodes) {
  for (Py_ssize_t i = 0; PyList_Check(nodes) && i < PyList_GET_SIZE(nodes); i++) {
    auto *node = incref(item<Node>(nodes, i, NodeType));
    if (!node) return nullptr;
    for (Py_ssize_t j = 0; j < PyList_GET_SIZE(node->buffers); j++) {
      PyObject *buffer = Py_NewRef(PyList_GET_ITEM(node->buffers, j));
      if (PyObject_TypeCheck(buffer, &BufferType)) take_apart_buffer(reinterpret_cast<Buffer *>(buffer));
      Py_DECREF(buffer);
    }
    for (Py_ssize_t j = 0; j < PyList_GET_SIZE(node->kernels); j++) {
      PyObject *kernel = Py_NewRef(PyList_GET_ITEM(node->kernels, j));
      if (PyObject_TypeCheck(kernel, &KernelType)) take_apart_kernel(reinterpret_cast<Kernel *>(kernel));
      Py_DECREF(kernel);
    }
    clear(node->body);
    bool emptied = PyList_SetSlice(node->kernels, 0, PyList_GET_SIZE(node->kernels), nullptr) == 0 &&
                   PyList_SetSlice(node->buffers, 0, PyList_GET_SIZE(node->buffers), nullptr) == 0;
    Py_DECREF(node);
    if (!emptied) return nullptr;
  }
  Py_RETURN_NONE;
}

// user_site(): where the user's code is, as (code, offset), or None.
PyObject *user_site_tuple(PyObject *, PyObject *) {
  Site site;
  if (!user_site(&site)) Py_RETURN_NONE;
  return site_tuple(site);
}

}  // namespace ttl::core
