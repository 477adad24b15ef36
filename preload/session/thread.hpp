/// How the calling thread joins the session.
#pragma once

#include "preload/session/thread_state.hpp"

namespace tidemark::preload {

/// Starts this thread's recording. Out of line: runs once per thread, or at every call while
/// detached.
ThreadState* start_thread();

/// The state to record with, or nullptr when nothing is to be recorded.
inline ThreadState* current_thread() {
  ThreadState* thread = t_thread;
  if (thread == nullptr || thread->ring == nullptr) [[unlikely]]
    return start_thread();
  return thread;
}

/// A thread of this process got another name.
/// @param pthread Its pthread_t.
void record_thread_name(const void* pthread, const char* name);

}  // namespace tidemark::preload
