// The error codes of the CUDA Runtime API.
#pragma once

enum cudaError {
#define VEDETTE_EMULATED_ERROR(name, value, text) name = value,
#include "vedette_emulation/errors.def"
};
typedef enum cudaError cudaError_t;
