// Stand-in for the CUDA header of this name, for compiling CUDA sources with the C++ compiler and running their kernels
// on the CPU, thread by thread (VEDETTE_CUDA_EMULATION). For tests only. The file names and the names and meanings of
// types and functions are those of the CUDA C++ Programming Guide and the CUDA Runtime API (version 13); what differs
// is said beside each. vedette_emulation/execution.h tells how kernels run.
#pragma once
#include <math.h>    // IWYU pragma: export
#include <stdlib.h>  // IWYU pragma: export
#include <string.h>  // IWYU pragma: export

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"
#include "vedette_emulation/atomics.h"
#include "vedette_emulation/barriers.h"
#include "vedette_emulation/conversions.h"
#include "vedette_emulation/floating.h"
#include "vedette_emulation/integers.h"
#include "vedette_emulation/launch.h"
#include "vedette_emulation/memory_access.h"
#include "vedette_emulation/min_max.h"
#include "vedette_emulation/video.h"
#include "vedette_emulation/warps.h"
