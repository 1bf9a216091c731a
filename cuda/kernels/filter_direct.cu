// Without shared memory: a thread makes one result and reads all that it stands on through the caches, warps lie along
// rows. For lines two kernels, with the image of the sums between them: 4K floats move 133 MB, 32 us at 4.2 TB/s, and
// as many loads as there are taps. For a matrix all its weights: the fewer, the better.
#include "kernels/filter_sums.cuh"

namespace vedette::cuda {

namespace {

constexpr int block_columns = 32;
constexpr int block_rows = 8;
constexpr std::size_t row_alignment = 128;

// What stands beyond an edge where the border is constant. Between the two lines that is the sum of the first one.
template <class Sums, bool across, bool last>
__device__ __forceinline__ typename Sums::Value outside_value(const FilterJob& job) {
    using Value = typename Sums::Value;
    const auto border = static_cast<Value>(job.border_value);
    if constexpr (!last) {
        return border;
    } else if constexpr (across) {
        return border * (1 << filter_word_bits);  // the weights of a line down add up to one
    } else {
        const auto* const weight = static_cast<const Value*>(job.across.weight);
        return line_sum<Sums>([weight](int i) { return weight[i]; }, job.across.taps, job.across.symmetric,
                              [border](int) { return border; });
    }
}

// One of the two lines. `last`: its sums are the results.
template <class From, class To, class Sums, bool across, bool last>
__global__ void direct_line_kernel(FilterJob job, FilterGroups groups) {
    using Value = typename Sums::Value;
    const FilterGroup& group = groups.group[blockIdx.z];
    const int element = static_cast<int>(blockIdx.x * block_columns + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.y);
    if (element >= job.width * job.elements || y >= job.height) return;
    const int x = element / job.elements, channel = element % job.elements;
    const FilterLine& line = across ? job.across : job.down;
    const int first = across ? x - job.anchor_x : y - job.anchor_y, size = across ? job.width : job.height;
    const bool near_edge = first < 0 || first + line.taps > size;
    const std::int32_t* const places = across ? job.columns + x : job.rows + y;
    const auto value_at = [&](int place) {
        return across ? in_row<From>(group, y)[(place * job.elements + channel) * group.in_step]
                      : in_row<From>(group, place)[element * group.in_step];
    };
    const auto* const weights = static_cast<const Value*>(line.weight);
    const auto weight = [weights](int i) { return weights[i]; };
    Value sum;
    if (!near_edge) {
        sum = line_sum<Sums>(weight, line.taps, line.symmetric,
                             [&](int i) { return static_cast<Value>(value_at(first + i)); });
    } else {
        const Value outside = outside_value<Sums, across, last>(job);
        sum = line_sum<Sums>(weight, line.taps, line.symmetric, [&](int i) {
            const int place = places[i];
            return place < 0 ? outside : static_cast<Value>(value_at(place));
        });
    }
    To* const to = out_row<To>(group, y) + static_cast<std::ptrdiff_t>(element) * group.out_step;
    if constexpr (last && std::is_same_v<Value, float>)
        *to = finished<To>(sum, job.delta);
    else
        *to = static_cast<To>(sum);
}

template <class In, class Out>
__global__ void direct_matrix_kernel(FilterJob job, FilterGroups groups) {
    using Sums = RealSums<Out>;
    const FilterGroup& group = groups.group[blockIdx.z];
    const int element = static_cast<int>(blockIdx.x * block_columns + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.y);
    if (element >= job.width * job.elements || y >= job.height) return;
    const int x = element / job.elements, channel = element % job.elements;
    const int left = x - job.anchor_x, top = y - job.anchor_y;
    const bool near_edge =
        left < 0 || left + job.kernel_width > job.width || top < 0 || top + job.kernel_height > job.height;
    float sum = 0;
    for (int j = 0; j < job.kernel_height; ++j) {
        const float* const weight = job.matrix + static_cast<std::ptrdiff_t>(j) * job.kernel_width;
        float part = 0;
        if (!near_edge) {
            const In* const from = in_row<In>(group, top + j) +
                                   (static_cast<std::ptrdiff_t>(left) * job.elements + channel) * group.in_step;
            const int step = job.elements * group.in_step;
            for (int i = 0; i < job.kernel_width; ++i)
                part = Sums::add(weight[i], static_cast<float>(from[i * step]), part);
        } else {
            const int row = job.rows[y + j];
            for (int i = 0; i < job.kernel_width; ++i) {
                const int column = job.columns[x + i];
                const float value =
                    row < 0 || column < 0
                        ? job.border_value
                        : static_cast<float>(in_row<In>(group, row)[(column * job.elements + channel) * group.in_step]);
                part = Sums::add(weight[i], value, part);
            }
        }
        sum += part;
    }
    out_row<Out>(group, y)[static_cast<std::ptrdiff_t>(element) * group.out_step] = finished<Out>(sum, job.delta);
}

std::size_t word_bytes(const FilterJob& job) noexcept {
    return job.kind == FilterKind::fixed_lines ? sizeof(std::int16_t) : sizeof(float);
}

std::size_t scratch_pitch(const FilterJob& job) noexcept {
    const std::size_t bytes =
        static_cast<std::size_t>(job.width) * static_cast<std::size_t>(job.elements) * word_bytes(job);
    return (bytes + row_alignment - 1) / row_alignment * row_alignment;
}

}  // namespace

std::size_t filter_direct_scratch(const FilterJob& job) noexcept {
    if (job.kind == FilterKind::matrix) return 0;
    return scratch_pitch(job) * static_cast<std::size_t>(job.height) * static_cast<std::size_t>(job.groups);
}

void filter_directly(const FilterJob& job, const FilterGroups& groups, std::byte* scratch, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(block_columns, block_rows);
    shape.grid =
        dim3(blocks_for(static_cast<std::size_t>(job.width) * static_cast<std::size_t>(job.elements), block_columns),
             blocks_for(static_cast<std::size_t>(job.height), block_rows), static_cast<unsigned>(job.groups));
    // The sums between the lines stand where the first one writes and the second one reads.
    FilterGroups first = groups, second = groups;
    for (std::int32_t index = 0; index < job.groups; ++index) {
        const std::size_t pitch = scratch_pitch(job);
        std::byte* const words =
            scratch + static_cast<std::size_t>(index) * pitch * static_cast<std::size_t>(job.height);
        FilterGroup &to = first.group[index], &from = second.group[index];
        to.out = View<std::byte>{words, pitch, job.width, job.height};
        to.out_first = 0, to.out_step = 1;
        from.in = View<const std::byte>{words, pitch, job.width, job.height};
        from.in_first = 0, from.in_step = 1;
    }
    if (job.kind == FilterKind::fixed_lines) {
        launch(direct_line_kernel<std::uint8_t, std::int16_t, FixedDown, false, false>, shape, stream, job, first);
        launch(direct_line_kernel<std::int16_t, std::uint8_t, FixedAcross, true, true>, shape, stream, job, second);
        return;
    }
    with_filtered_types(job, [&]<class In, class Out>() {
        if (job.kind == FilterKind::matrix) return launch(direct_matrix_kernel<In, Out>, shape, stream, job, groups);
        launch(direct_line_kernel<In, float, RealSums<Out>, true, false>, shape, stream, job, first);
        launch(direct_line_kernel<float, Out, RealSums<Out>, false, true>, shape, stream, job, second);
    });
}

}  // namespace vedette::cuda
