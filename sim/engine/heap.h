// What the host's allocator is told of a process that takes much memory, keeps it to its end, and goes
// through all of it again and again.
#pragma once

#include <cstddef>

namespace heddle {

// For a program that mostly simulates, once, at its start: what it frees stays with it, and allocations of
// any size are made from the threads' heaps.
void keep_memory();

// The next `bytes` of the calling thread's heap are had from the host at once, in large pages where it has
// them: else every new page is a fault, and, in a thread's heap, a call that all threads wait for. Nothing is
// used up before it is needed. Without keep_memory() it has no effect.
void reserve_heap(size_t bytes);
inline constexpr size_t kThreadHeap = size_t{60} << 20;  // glibc's are up to 64 MiB
inline constexpr size_t kMainHeap = size_t{240} << 20;

}  // namespace heddle
