// Which sanitizer a test is built with: HEDDLE_ASAN, HEDDLE_TSAN, or neither.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define HEDDLE_TSAN
#endif
#else
#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_TSAN
#endif
#endif
