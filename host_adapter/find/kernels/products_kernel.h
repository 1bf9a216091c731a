// Sums of products of bytes; part of kernels.cc.
#pragma once

#include "vector.h"

namespace {

// Factors are 16 bits wide and sums 32, as the instruction that adds products in pairs has them. So many terms fit.
constexpr std::size_t terms_of_32_bits = 32768;

template <bool kMasked>
void add_products_of(const std::uint8_t* p, const std::uint8_t* q, const std::uint8_t* mask, std::size_t count,
                     std::uint64_t* p_sum, std::uint64_t* pp_sum, std::uint64_t* pq_sum) {
    for (std::size_t begin = 0; begin < count; begin += terms_of_32_bits) {
        const std::size_t end = count - begin < terms_of_32_bits ? count : begin + terms_of_32_bits;
        std::int32_t sum = 0, squares = 0, products = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto a = static_cast<std::int16_t>(kMasked ? p[i] & mask[i] : p[i]);
            const auto b = static_cast<std::int16_t>(q[i]);
            sum += a;
            squares += a * a;
            products += a * b;
        }
        *p_sum += static_cast<std::uint32_t>(sum);
        *pp_sum += static_cast<std::uint32_t>(squares);
        *pq_sum += static_cast<std::uint32_t>(products);
    }
}

void add_products(const std::uint8_t* p, const std::uint8_t* q, const std::uint8_t* mask, std::size_t count,
                  std::uint64_t* p_sum, std::uint64_t* pp_sum, std::uint64_t* pq_sum) {
    if (mask == nullptr)
        add_products_of<false>(p, q, mask, count, p_sum, pp_sum, pq_sum);
    else
        add_products_of<true>(p, q, mask, count, p_sum, pp_sum, pq_sum);
}

}  // namespace
