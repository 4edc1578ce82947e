// The functions of a kernel, by what it is compiled for.
#pragma once

#if defined(TTL_EMU_COMPUTE)
#include "ttl_emu/compute.h"
#else
#include "ttl_emu/dataflow.h"
#endif
#ifndef TTL_EMU_GIVEN_LATER
#include "ttl_emu/given.h"
#endif
