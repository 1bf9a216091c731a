#include "program.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

// Never -cl-fast-relaxed-math: results are the processor's.
std::string common_options(const DeviceLimits& limits) {
    // No warnings: some compilers print them for the process.
    std::string options = "-cl-std=CL1.2 -w";
    if (limits.correct_divide) options += " -cl-fp32-correctly-rounded-divide-sqrt";
    if (limits.doubles) options += " -D VDT_DOUBLES=1";
    if (limits.kind == Kind::cpu) options += " -D VDT_PROCESSOR=1";
    if (limits.long_atomics) options += " -D VDT_LONG_ATOMICS=1";
    return options;
}

// The compiler's first lines; a whole log does not fit into an error record.
std::string build_log(cl::Program program, cl::Device device) {
    std::size_t bytes = 0;
    if (cl::api().GetProgramBuildInfo(program, device, cl::program_build_log, 0, nullptr, &bytes) != cl::success)
        return {};
    std::string log(bytes, '\0');
    if (cl::api().GetProgramBuildInfo(program, device, cl::program_build_log, bytes, log.data(), nullptr) !=
        cl::success)
        return {};
    log.resize(std::min(log.size(), log.find('\0')));
    const std::size_t error = log.find("error");
    if (error != std::string::npos && error > 40) log.erase(0, error - 40);
    std::replace(log.begin(), log.end(), '\n', ' ');
    return log.substr(0, 200);
}

std::vector<unsigned char> binary_of(cl::Program program) {
    std::size_t bytes = 0;
    if (cl::api().GetProgramInfo(program, cl::program_binary_sizes, sizeof bytes, &bytes, nullptr) != cl::success)
        return {};
    std::vector<unsigned char> binary(bytes);
    unsigned char* place = binary.data();
    if (bytes == 0 ||
        cl::api().GetProgramInfo(program, cl::program_binaries, sizeof place, &place, nullptr) != cl::success)
        return {};
    return binary;
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const Program> program, cl::Device device, const char* name)
    : program_(std::move(program)) {
    cl::Int code = cl::success;
    kernel_.reset(cl::api().CreateKernel(program_->get(), name, &code));
    if (code != cl::success)
        throw Error(Fault::internal, std::string("making the kernel ") + name + " failed: " + name_of(code), code);
    check(cl::api().GetKernelWorkGroupInfo(kernel_.get(), device, cl::kernel_group_size, sizeof group_size_,
                                           &group_size_, nullptr),
          "asking for a kernel's group size");
    check(cl::api().GetKernelWorkGroupInfo(kernel_.get(), device, cl::kernel_preferred_multiple,
                                           sizeof preferred_multiple_, &preferred_multiple_, nullptr),
          "asking for a kernel's preferred group size");
    preferred_multiple_ = std::max<std::size_t>(1, preferred_multiple_);
}

Programs::Programs(const DeviceEntry& entry, cl::Context context, const BinaryCache& cache)
    : entry_(entry), context_(context), cache_(cache), identity_(entry.name + "\n" + entry.driver + "\n") {}

Kernel Programs::kernel(std::string_view file, const char* name, const std::string& defines) {
    return Kernel(program(file, defines), entry_.device, name);
}

std::shared_ptr<const Program> Programs::program(std::string_view file, const std::string& defines) {
    const std::string options = common_options(entry_.limits) + (defines.empty() ? "" : " ") + defines;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Program>& slot = programs_[std::string(file) + " " + options];
    if (!slot) slot = std::make_shared<const Program>(build(file, options));
    return slot;
}

Program Programs::build(std::string_view file, const std::string& options) const {
    const char* source = kernel_source(file);
    if (source == nullptr) throw Error(Fault::internal, "there is no kernel file " + std::string(file));
    const cl::Device device = entry_.device;
    const std::string key = identity_ + options + "\n" + source;
    cl::Int code = cl::success;
    if (const auto kept = cache_.load(key)) {
        const std::size_t bytes = kept->size();
        const unsigned char* data = kept->data();
        cl::Int status = cl::success;
        Program program(cl::api().CreateProgramWithBinary(context_, 1, &device, &bytes, &data, &status, &code));
        if (code == cl::success && status == cl::success &&
            cl::api().BuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr) == cl::success)
            return program;
        // The driver does not know its own binary again: then it is made anew and replaced.
    }
    Program program(cl::api().CreateProgramWithSource(context_, 1, &source, nullptr, &code));
    check(code, "making a program");
    code = cl::api().BuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
    if (code != cl::success)
        throw Error(code == cl::out_of_host_memory || code == cl::out_of_resources ? Fault::memory : Fault::unavailable,
                    "the device's compiler refuses " + std::string(file) + ".cl (" + name_of(code) +
                        "): " + build_log(program.get(), device),
                    code);
    // Not without need: some drivers compile every kernel of the program when they are asked for its binary (PoCL 3.1).
    if (cache_.keeps())
        if (const std::vector<unsigned char> binary = binary_of(program.get()); !binary.empty())
            cache_.store(key, binary);
    return program;
}

}  // namespace vedette::opencl
