#include "analyzer/cli/verbs/recording/marks_command.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/recording/python_marks.hpp"

#include <string>
#include <string_view>

namespace tidemark::cli {
namespace {

constexpr std::string_view kPage =
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

Python, one file that is copied beside the program:

      tidemark marks --python > tidemark_marks.py

      from tidemark_marks import phase

      with phase("deserialize"):            # or @phase("deserialize") above a def
          model.load_state_dict(torch.load(path))

Any other language: dlsym(RTLD_DEFAULT, "tidemark_mark_phase_begin") and
"tidemark_mark_phase_end"; when they are found, call them with the name as a C
string.

Phases of one thread may nest; an end closes the innermost phase of that name
on the same thread. The header is a single file: copy it, or add the include
folder of tidemark to your build.
)";

}  // namespace

int run(const MarksCommand& command) {
  const auto status = write_long_output(std::string(command.python ? kPythonMarks : kPage));
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace tidemark::cli
