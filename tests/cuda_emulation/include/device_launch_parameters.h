// Stand-in for the CUDA header of this name: threadIdx, blockIdx, blockDim, gridDim, warpSize.
#pragma once
#include "vedette_emulation/execution.h"
