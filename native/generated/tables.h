// Made by scripts/update_native_tables.py from ttl.protocol and ttl.rows; do not edit.
#pragma once

#include <cstdint>

namespace ttl::tables {

// States of a block (ttl.protocol.blocks).
constexpr int8_t kStateMustBeWritten = 0;
constexpr int8_t kStateMustBeRead = 1;
constexpr int8_t kStateReadWrite = 2;
constexpr int8_t kStateReadOnlyWhileReading = 3;
constexpr int8_t kStateNoAccessWhileWriting = 4;
constexpr int8_t kStateOutOfScope = 5;
constexpr int8_t kStateUnread = 6;
constexpr int8_t kStateInParts = 7;
constexpr int kStates = 8;

// What a kernel does to a block.
constexpr int8_t kStepCopyIn = 0;
constexpr int8_t kStepCopyOut = 1;
constexpr int8_t kStepCopyInDone = 2;
constexpr int8_t kStepCopyOutDone = 3;
constexpr int8_t kStepRead = 4;
constexpr int8_t kStepStore = 5;
constexpr int8_t kStepPush = 6;
constexpr int8_t kStepPop = 7;
constexpr int kSteps = 8;

// How a block was acquired and by which kind of kernel; those of reserve come first.
constexpr int8_t kRoleReserveDataMovement = 0;
constexpr int8_t kRoleReserveCompute = 1;
constexpr int8_t kRoleWaitDataMovement = 2;
constexpr int8_t kRoleWaitCompute = 3;
constexpr int kRoles = 4;
constexpr int kLastReserve = kRoleReserveCompute;

// The state after a step, by `state * kSteps + step`; kIllegal where the step is an error.
constexpr int8_t kIllegal = -1;
constexpr int8_t kTransitions[kRoles][kStates * kSteps] = {
    {  // reserve data movement
         4, -1, -1, -1, -1, -1, -1, -1,  // must be written
        -1,  3, -1, -1, -1, -1,  5, -1,  // must be read
         4,  3, -1, -1, -1, -1,  5, -1,  // read write
        -1,  3, -1,  2, -1, -1, -1, -1,  // read only while reading
        -1, -1,  1, -1, -1, -1, -1, -1,  // no access while writing
        -1, -1, -1, -1, -1, -1, -1, -1,  // out of scope
        -1, -1, -1, -1, -1, -1, -1, -1,  // unread
        -1, -1, -1, -1, -1, -1, -1, -1,  // in parts
    },
    {  // reserve compute
        -1, -1, -1, -1, -1,  1, -1, -1,  // must be written
        -1, -1, -1, -1,  2, -1,  5, -1,  // must be read
        -1, -1, -1, -1,  2,  1,  5, -1,  // read write
        -1, -1, -1, -1, -1, -1, -1, -1,  // read only while reading
        -1, -1, -1, -1, -1, -1, -1, -1,  // no access while writing
        -1, -1, -1, -1, -1, -1, -1, -1,  // out of scope
        -1, -1, -1, -1, -1, -1, -1, -1,  // unread
        -1, -1, -1, -1, -1, -1, -1, -1,  // in parts
    },
    {  // wait data movement
        -1, -1, -1, -1, -1, -1, -1, -1,  // must be written
        -1,  3, -1, -1, -1, -1, -1, -1,  // must be read
         4,  3, -1, -1, -1, -1, -1,  5,  // read write
        -1,  3, -1,  2, -1, -1, -1, -1,  // read only while reading
        -1, -1,  1, -1, -1, -1, -1, -1,  // no access while writing
        -1, -1, -1, -1, -1, -1, -1, -1,  // out of scope
        -1,  3, -1, -1, -1, -1, -1, -1,  // unread
        -1, -1, -1, -1, -1, -1, -1, -1,  // in parts
    },
    {  // wait compute
        -1, -1, -1, -1, -1, -1, -1, -1,  // must be written
        -1, -1, -1, -1,  2, -1, -1, -1,  // must be read
        -1, -1, -1, -1,  2,  1, -1,  5,  // read write
        -1, -1, -1, -1, -1, -1, -1, -1,  // read only while reading
        -1, -1, -1, -1, -1, -1, -1, -1,  // no access while writing
        -1, -1, -1, -1, -1, -1, -1, -1,  // out of scope
        -1, -1, -1, -1,  2, -1, -1, -1,  // unread
        -1, -1, -1, -1, -1, -1, -1, -1,  // in parts
    },
};
// The state right after the acquisition.
constexpr int8_t kInitial[kRoles] = {kStateMustBeWritten, kStateMustBeWritten, kStateUnread, kStateUnread};
// Where the end of a copy leads: into the block; from it, of the last one where several read it.
constexpr int8_t kCopiedIn = kStateMustBeRead;
constexpr int8_t kCopiedOut = kStateReadWrite;
// Code of the error about a block that is written again before it was read.
constexpr char kNotReadYet[] = "TTL0304";

// Rows and columns of a tile, in elements.
constexpr int kTile = 32;

// Operations (ttl.rows.table), by their index there.
constexpr int kOpAdd = 0;
constexpr int kOpSub = 1;
constexpr int kOpMul = 2;
constexpr int kOpTruediv = 3;
constexpr int kOpFloordiv = 4;
constexpr int kOpMod = 5;
constexpr int kOpXor = 6;
constexpr int kOpMax = 7;
constexpr int kOpMin = 8;
constexpr int kOpPow = 9;
constexpr int kOpRsub = 10;
constexpr int kOpMatmul = 11;
constexpr int kOpEq = 12;
constexpr int kOpNe = 13;
constexpr int kOpLt = 14;
constexpr int kOpLe = 15;
constexpr int kOpGt = 16;
constexpr int kOpGe = 17;
constexpr int kOpAbs = 18;
constexpr int kOpNeg = 19;
constexpr int kOpExp = 20;
constexpr int kOpExp2 = 21;
constexpr int kOpExpm1 = 22;
constexpr int kOpLog = 23;
constexpr int kOpLogp1 = 24;
constexpr int kOpSqrt = 25;
constexpr int kOpSquare = 26;
constexpr int kOpRsqrt = 27;
constexpr int kOpRecip = 28;
constexpr int kOpTan = 29;
constexpr int kOpTanh = 30;
constexpr int kOpAtan = 31;
constexpr int kOpAtanh = 32;
constexpr int kOpSin = 33;
constexpr int kOpAsin = 34;
constexpr int kOpAsinh = 35;
constexpr int kOpCos = 36;
constexpr int kOpAcos = 37;
constexpr int kOpAcosh = 38;
constexpr int kOpRelu = 39;
constexpr int kOpReluMax = 40;
constexpr int kOpReluMin = 41;
constexpr int kOpLeakyRelu = 42;
constexpr int kOpElu = 43;
constexpr int kOpGelu = 44;
constexpr int kOpSigmoid = 45;
constexpr int kOpCelu = 46;
constexpr int kOpSilu = 47;
constexpr int kOpPrelu = 48;
constexpr int kOpSoftplus = 49;
constexpr int kOpSoftsign = 50;
constexpr int kOpHardsigmoid = 51;
constexpr int kOpHardtanh = 52;
constexpr int kOpSelu = 53;
constexpr int kOpFrac = 54;
constexpr int kOpTrunc = 55;
constexpr int kOpRound = 56;
constexpr int kOpFloor = 57;
constexpr int kOpCeil = 58;
constexpr int kOpClamp = 59;
constexpr int kOpThreshold = 60;
constexpr int kOpSign = 61;
constexpr int kOpSignbit = 62;
constexpr int kOpReduceSum = 63;
constexpr int kOpReduceMax = 64;
constexpr int kOpFill = 65;
constexpr int kOpMask = 66;
constexpr int kOpMaskPosinf = 67;
constexpr int kOpWhere = 68;
constexpr int kOpTypecast = 69;
constexpr int kOpBroadcast = 70;
constexpr int kOpTranspose = 71;
constexpr int kOpSqueeze = 72;
constexpr int kOpUnsqueeze = 73;
constexpr int kOps = 74;

enum class Namespace : int8_t { Operator, Math, Block };

struct Operation {
  const char *name;
  Namespace where;
  int8_t operands;        // blocks, or numbers where `scalars` says so
  int8_t params;
  uint8_t scalars;        // bit i: a Python number may stand in place of operand i
  const char *dunder;     // the operator's method, or nullptr
  const char *reflected;  // the one for a number on the left, or nullptr
};
constexpr Operation kOperations[kOps] = {
    {"add", Namespace::Operator, 2, 0, 3, "__add__", "__radd__"},
    {"sub", Namespace::Operator, 2, 0, 3, "__sub__", "__rsub__"},
    {"mul", Namespace::Operator, 2, 0, 3, "__mul__", "__rmul__"},
    {"truediv", Namespace::Operator, 2, 0, 3, "__truediv__", "__rtruediv__"},
    {"floordiv", Namespace::Operator, 2, 0, 3, "__floordiv__", "__rfloordiv__"},
    {"mod", Namespace::Operator, 2, 0, 3, "__mod__", "__rmod__"},
    {"xor", Namespace::Operator, 2, 0, 3, "__xor__", "__rxor__"},
    {"max", Namespace::Math, 2, 0, 3, nullptr, nullptr},
    {"min", Namespace::Math, 2, 0, 3, nullptr, nullptr},
    {"pow", Namespace::Math, 2, 0, 3, "__pow__", "__rpow__"},
    {"rsub", Namespace::Math, 2, 0, 2, nullptr, nullptr},
    {"matmul", Namespace::Operator, 2, 0, 0, "__matmul__", "__rmatmul__"},
    {"eq", Namespace::Math, 2, 0, 3, "__eq__", nullptr},
    {"ne", Namespace::Math, 2, 0, 3, "__ne__", nullptr},
    {"lt", Namespace::Math, 2, 0, 3, "__lt__", nullptr},
    {"le", Namespace::Math, 2, 0, 3, "__le__", nullptr},
    {"gt", Namespace::Math, 2, 0, 3, "__gt__", nullptr},
    {"ge", Namespace::Math, 2, 0, 3, "__ge__", nullptr},
    {"abs", Namespace::Math, 1, 0, 0, "__abs__", nullptr},
    {"neg", Namespace::Math, 1, 0, 0, "__neg__", nullptr},
    {"exp", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"exp2", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"expm1", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"log", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"logp1", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"sqrt", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"square", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"rsqrt", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"recip", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"tan", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"tanh", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"atan", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"atanh", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"sin", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"asin", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"asinh", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"cos", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"acos", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"acosh", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"relu", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"relu_max", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"relu_min", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"leaky_relu", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"elu", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"gelu", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"sigmoid", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"celu", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"silu", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"prelu", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"softplus", Namespace::Math, 1, 3, 0, nullptr, nullptr},
    {"softsign", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"hardsigmoid", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"hardtanh", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"selu", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"frac", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"trunc", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"round", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"floor", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"ceil", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"clamp", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"threshold", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"sign", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"signbit", Namespace::Math, 1, 0, 0, nullptr, nullptr},
    {"reduce_sum", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"reduce_max", Namespace::Math, 1, 2, 0, nullptr, nullptr},
    {"fill", Namespace::Block, 0, 3, 0, nullptr, nullptr},
    {"mask", Namespace::Block, 2, 0, 0, nullptr, nullptr},
    {"mask_posinf", Namespace::Block, 2, 0, 0, nullptr, nullptr},
    {"where", Namespace::Block, 3, 0, 6, nullptr, nullptr},
    {"typecast", Namespace::Math, 1, 1, 0, nullptr, nullptr},
    {"broadcast", Namespace::Block, 1, 2, 0, nullptr, nullptr},
    {"transpose", Namespace::Block, 1, 0, 0, nullptr, nullptr},
    {"squeeze", Namespace::Block, 1, 1, 0, nullptr, nullptr},
    {"unsqueeze", Namespace::Block, 1, 1, 0, nullptr, nullptr},
};

}  // namespace ttl::tables
