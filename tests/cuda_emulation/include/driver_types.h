// Stand-in for the CUDA header of this name.
#pragma once
#include "vedette_emulation/types.h"
