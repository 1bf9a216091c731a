// How this backend calls OpenCV: on which threads, and what becomes of its exceptions.
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "op.h"

namespace vedette::opencv {

// What OpenCV threw, as a code and one sentence.
Failure failure_of(const cv::Exception& exception);

// Runs `body` on the calling thread with OpenCV's own loops kept on that thread too (why and how: calls.cc).
void without_opencv_threads(const std::function<void()>& body);

// Calls body(i) for 0 <= i < count on the host's pool. What a piece throws leaves here, once all pieces are over; so
// does the call's end by cancellation or time limit.
void for_each_piece(const vdt_host& host, vdt_token* token, std::uint32_t count,
                    const std::function<void(std::uint32_t)>& body);

// The same for bands of rows: body(begin, end) for rows begin <= y < end.
void for_each_band(const vdt_host& host, vdt_token* token, int rows, const std::function<void(int, int)>& body);

}  // namespace vedette::opencv
