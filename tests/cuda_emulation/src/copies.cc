// Copies and fills.
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "allocations.h"
#include "calls.h"
#include "streams.h"
#include "vedette_emulation/runtime_memory.h"

namespace vedette_emulation {
namespace {

/// A rectangle of bytes; one row for a plain copy.
struct Rectangle {
    void* to;
    size_t to_pitch;
    const void* from;
    size_t from_pitch;
    size_t width;
    size_t height;
};

/// Bytes from the first to the last one of `height` rows; false when there is no such number.
bool extent(size_t pitch, size_t width, size_t height, size_t* bytes) {
    return !__builtin_mul_overflow(pitch, height - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

cudaError_t check(const Rectangle& copy, cudaMemcpyKind kind, bool* from_host, bool* to_host) {
    if (copy.width > copy.to_pitch || copy.width > copy.from_pitch) {
        return cudaErrorInvalidPitchValue;
    }
    if (copy.to == nullptr || copy.from == nullptr) {
        return cudaErrorInvalidValue;
    }
    size_t to_bytes = 0, from_bytes = 0;
    if (!extent(copy.to_pitch, copy.width, copy.height, &to_bytes) ||
        !extent(copy.from_pitch, copy.width, copy.height, &from_bytes)) {
        return cudaErrorInvalidValue;
    }
    const Place to = place_of(copy.to, to_bytes);
    const Place from = place_of(copy.from, from_bytes);
    if (to == Place::broken || from == Place::broken) {
        return cudaErrorInvalidValue;
    }
    *to_host = to == Place::host;
    *from_host = from == Place::host;
    switch (kind) {
        case cudaMemcpyHostToHost:
            return *from_host && *to_host ? cudaSuccess : cudaErrorInvalidValue;
        case cudaMemcpyHostToDevice:
            return *from_host && !*to_host ? cudaSuccess : cudaErrorInvalidValue;
        case cudaMemcpyDeviceToHost:
            return !*from_host && *to_host ? cudaSuccess : cudaErrorInvalidValue;
        case cudaMemcpyDeviceToDevice:
            return !*from_host && !*to_host ? cudaSuccess : cudaErrorInvalidValue;
        case cudaMemcpyDefault:
            return cudaSuccess;
    }
    return cudaErrorInvalidMemcpyDirection;
}

void copy_rows(const Rectangle& copy) {
    for (size_t y = 0; y < copy.height; ++y) {
        std::memmove(static_cast<char*>(copy.to) + y * copy.to_pitch,
                     static_cast<const char*>(copy.from) + y * copy.from_pitch, copy.width);
    }
}

cudaError_t copy_async(const Rectangle& copy, cudaMemcpyKind kind, cudaStream_t stream) {
    if (find_stream(stream) == nullptr) {
        return cudaErrorInvalidResourceHandle;
    }
    if (copy.width == 0 || copy.height == 0) {
        return cudaSuccess;
    }
    bool from_host = false, to_host = false;
    cudaError_t error = check(copy, kind, &from_host, &to_host);
    if (error != cudaSuccess) {
        return error;
    }
    // Memory that is not pinned is read before the call returns, and written before it returns.
    const bool capture = capturing(stream);
    if (deferred() && !capture && from_host && !is_pinned(copy.from)) {
        auto staged = std::make_shared<std::vector<char>>(copy.width * copy.height);
        copy_rows({staged->data(), copy.width, copy.from, copy.from_pitch, copy.width, copy.height});
        error = enqueue(stream, [copy, staged] {
            copy_rows({copy.to, copy.to_pitch, staged->data(), copy.width, copy.width, copy.height});
            return cudaSuccess;
        });
    } else {
        error = enqueue(stream, [copy] {
            copy_rows(copy);
            return cudaSuccess;
        });
    }
    if (error == cudaSuccess && deferred() && !capture && to_host && !is_pinned(copy.to)) {
        error = finish_stream(stream);
    }
    return error;
}

cudaError_t copy_and_wait(const Rectangle& copy, cudaMemcpyKind kind) {
    cudaError_t error = refuse_while_capturing();
    if (error == cudaSuccess) {
        error = copy_async(copy, kind, nullptr);
    }
    return error != cudaSuccess ? error : finish_stream(nullptr);
}

cudaError_t fill_async(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    if (find_stream(stream) == nullptr) {
        return cudaErrorInvalidResourceHandle;
    }
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    size_t bytes = 0;
    if (width > pitch) {
        return cudaErrorInvalidPitchValue;
    }
    if (to == nullptr || !extent(pitch, width, height, &bytes) || place_of(to, bytes) != Place::device) {
        return cudaErrorInvalidValue;
    }
    return enqueue(stream, [=] {
        for (size_t y = 0; y < height; ++y) {
            std::memset(static_cast<char*>(to) + y * pitch, value, width);
        }
        return cudaSuccess;
    });
}

cudaError_t fill_and_wait(void* to, size_t pitch, int value, size_t width, size_t height) {
    cudaError_t error = refuse_while_capturing();
    if (error == cudaSuccess) {
        error = fill_async(to, pitch, value, width, height, nullptr);
    }
    return error != cudaSuccess ? error : finish_stream(nullptr);
}

Rectangle row(void* to, const void* from, size_t bytes) {
    return {to, bytes, from, bytes, bytes, 1};
}

/// The symbol's memory becomes device memory to the copy.
cudaError_t symbol_copy(const char* function, const void* symbol, size_t symbol_bytes, size_t bytes, size_t offset,
                        Rectangle copy, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    return call(function, Needs::device, [&] {
        if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
            return cudaErrorInvalidValue;
        }
        void* address = nullptr;
        const cudaError_t error = symbol_address(&address, const_cast<void*>(symbol), symbol_bytes);
        if (error != cudaSuccess) {
            return error;
        }
        return wait ? copy_and_wait(copy, kind) : copy_async(copy, kind, stream);
    });
}

}  // namespace

cudaError_t copy_to_symbol(void* symbol, size_t symbol_bytes, const void* from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    return symbol_copy(wait ? "cudaMemcpyToSymbol" : "cudaMemcpyToSymbolAsync", symbol, symbol_bytes, bytes, offset,
                       row(static_cast<char*>(symbol) + offset, from, bytes), kind, stream, wait);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes, size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    return symbol_copy(wait ? "cudaMemcpyFromSymbol" : "cudaMemcpyFromSymbolAsync", symbol, symbol_bytes, bytes, offset,
                       row(to, static_cast<const char*>(symbol) + offset, bytes), kind, stream, wait);
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return call(__func__, Needs::device, [&] { return copy_and_wait(row(to, from, bytes), kind); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] { return copy_async(row(to, from, bytes), kind, stream); });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width_bytes,
                         size_t height, cudaMemcpyKind kind) {
    return call(__func__, Needs::device, [&] {
        return copy_and_wait({to, to_pitch, from, from_pitch, width_bytes, height}, kind);
    });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width_bytes,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        return copy_async({to, to_pitch, from, from_pitch, width_bytes, height}, kind, stream);
    });
}

namespace {
/// True when the pointer is memory of the device.
bool belongs(const void* pointer, int device) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.find(pointer);
    return found != all.by_address.end() && found->second.origin == Origin::device && found->second.device == device;
}
}  // namespace

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    return call(__func__, Needs::device, [&] {
        return belongs(to, to_device) && belongs(from, from_device)
                   ? copy_and_wait(row(to, from, bytes), cudaMemcpyDeviceToDevice)
                   : cudaErrorInvalidValue;
    });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        return belongs(to, to_device) && belongs(from, from_device)
                   ? copy_async(row(to, from, bytes), cudaMemcpyDeviceToDevice, stream)
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return call(__func__, Needs::device, [&] { return fill_and_wait(to, bytes, value, bytes, 1); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] { return fill_async(to, bytes, value, bytes, 1, stream); });
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width_bytes, size_t height) {
    return call(__func__, Needs::device, [&] { return fill_and_wait(to, pitch, value, width_bytes, height); });
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width_bytes, size_t height,
                              cudaStream_t stream) {
    return call(__func__, Needs::device, [&] { return fill_async(to, pitch, value, width_bytes, height, stream); });
}
