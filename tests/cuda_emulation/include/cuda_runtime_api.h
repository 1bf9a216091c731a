// Stand-in for the CUDA header of this name: types and functions of the runtime.
#pragma once
#include "vedette_emulation/qualifiers.h"
#include "vedette_emulation/runtime.h"
#include "vedette_emulation/runtime_memory.h"
#include "vedette_emulation/runtime_streams.h"
#include "vedette_emulation/types.h"
