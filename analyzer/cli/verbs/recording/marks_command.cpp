#include "analyzer/cli/verbs/recording/marks_command.hpp"

#include "analyzer/cli/shared/terminal.hpp"

namespace tidemark::cli {
namespace {

constexpr const char* kPage =
    R"(Marks name the phases of a load, so that a report can say in which one the
peak fell. They cost nothing without tidemark: no library to link, no effect.

C++   #include <tidemark/marks.h>

      {
        tidemark::Phase phase("deserialize");   // until the end of this scope
        load_tensors(file);
      }

C     #include <tidemark/marks.h>

      tidemark_phase_begin("deserialize");
      load_tensors(file);
      tidemark_phase_end("deserialize");

Python, without installing anything:

      import contextlib, ctypes

      @contextlib.contextmanager
      def phase(name, host=ctypes.CDLL(None)):
          def mark(verb):
              call = getattr(host, "tidemark_mark_phase_" + verb, None)
              if call: call(name.encode())
          mark("begin")
          try:
              yield
          finally:
              mark("end")

      with phase("deserialize"):
          model.load_state_dict(torch.load(path))

Any other language: dlsym(RTLD_DEFAULT, "tidemark_mark_phase_begin") and
"tidemark_mark_phase_end"; when they are found, call them with the name as a C
string.

Phases of one thread may nest; an end closes the innermost phase of that name
on the same thread. The header is a single file: copy it, or add the include
folder of tidemark to your build.
)";

}  // namespace

int run(const MarksCommand&) {
  const auto status = write_output(kPage);
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
