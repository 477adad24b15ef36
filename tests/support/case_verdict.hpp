/// What the test program knows of the case that it runs.
#pragma once

namespace tidemark::tests {

/// True once an assertion of the running case has failed.
bool case_has_failed() noexcept;

}  // namespace tidemark::tests
