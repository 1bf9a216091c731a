// Fibers on Boost.Context, told to the sanitizers. A fiber runs one job after another and keeps its stack between them,
// so that starting a CUDA thread costs one switch.
#pragma once
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace vedette_emulation {

class Fiber {
public:
    /// `job` is what resume() runs from its beginning when the fiber is idle; it must not throw.
    Fiber(void (*job)(void* argument), void* argument);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Goes into the fiber until it suspends or its job ends. Only from the thread that made it, and not from a fiber.
    void resume();
    /// Goes back to where resume() was called. Only inside the fiber.
    void suspend();

private:
    static void main(boost::context::detail::transfer_t from);
    void enter();
    void switched_in();

    void (*job_)(void*);
    void* argument_;
    bool quit_ = false;
    char* mapping_ = nullptr;  // a guard page, then the stack
    size_t stack_bytes_ = 0;
    boost::context::detail::fcontext_t inside_ = nullptr;
    boost::context::detail::fcontext_t outside_ = nullptr;
    // For the sanitizers: what they keep of each side while the other runs.
    void* inside_fake_stack_ = nullptr;
    void* outside_fake_stack_ = nullptr;
    const void* outside_bottom_ = nullptr;
    size_t outside_bytes_ = 0;
    void* inside_tsan_ = nullptr;
    void* outside_tsan_ = nullptr;
};

}  // namespace vedette_emulation
