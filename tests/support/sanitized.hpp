/// TIDEMARK_SANITIZED: 1 where a sanitizer's malloc is in the place of libc's, else 0.
#pragma once

// gcc's way to say so, and clang's.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TIDEMARK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TIDEMARK_SANITIZED 1
#endif
#endif
#ifndef TIDEMARK_SANITIZED
#define TIDEMARK_SANITIZED 0
#endif
