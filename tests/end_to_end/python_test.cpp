#include "tests/end_to_end/fixture.hpp"
#include "tests/end_to_end/pythons.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// What a bytes object has before and behind its bytes.
constexpr std::uint64_t kHeadBytes = 33;

/// Each takes some 10 ms, and makes a hundred stacks.
std::string rounds() {
  const char* told = std::getenv("TIDEMARK_PYTHON_ROUNDS");
  return told != nullptr ? told : "30";
}

/// The Python frames of a stack, innermost first, as python_truth.py writes them.
std::string python_text(const trace::Definitions& tables, trace::StackId stack) {
  std::string text;
  while (stack != trace::kNoStack) {
    const trace::StackNode& node = tables.stacks.at(trace::index(stack));
    const std::size_t frame = trace::index(node.frame);
    if (tables.frames.at(frame).language == trace::FrameLanguage::kPython) {
      const trace::Location& at = tables.locations.at(frame).at(0);
      text += '\t' + at.function + '\t' + at.file + '\t' + std::to_string(at.line);
    }
    stack = node.parent;
  }
  return text;
}

/// What Python said each stack was, by the size of the block.
std::map<std::uint64_t, std::string> read_truth(const std::string& path) {
  std::map<std::uint64_t, std::string> truth;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    truth[std::stoull(line)] = line.substr(line.find('\t'));
  return truth;
}

class Python : public EndToEnd {
 protected:
  /// Runs `python script.py ARGUMENTS` of hosts/, recorded.
  Recording record_script(const std::string& python,
                          const std::string& script,
                          const Words& arguments) {
    Words words{python, std::string(TIDEMARK_PYTHON_HOSTS) + script};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return record(words);
  }
  /// Runs a program of one file, and gives the Python frames of its block of `bytes` bytes.
  std::string frames_of(const std::string& python,
                        const std::string& program,
                        std::uint64_t bytes) {
    const Recording recording = record(Words{python, a_file_with(program, "program.py")});
    CHECK(recording.host.status == 0);
    for (const trace::Event& event : recording.events.all()) {
      if (trace::is_allocation(event.kind) && event.size == bytes)
        return python_text(recording.events.definitions(), event.stack);
    }
    return "(no such block)";
  }
  bool has_module(const std::string& python, const std::string& module) {
    Command command;
    command.words = {python, "-c", "import " + module};
    return run_alone(command).status == 0;
  }
  bool is_before_3_11(const std::string& python) {
    Command command;
    command.words = {python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"};
    return run_alone(command).status == 1;
  }
  std::string here() const { return path("program.py"); }
};

}  // namespace

TEST_CASE_METHOD(Python, "Python frames are those that Python itself tells, on every stack") {
  if (pythons().empty())
    SKIP_TEST("no Python");
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const std::string told = path("truth.txt");
    const Recording recording = record_script(python, "python_truth.py", {told, rounds()});
    REQUIRE(recording.host.status == 0);
    auto truth = read_truth(told);
    REQUIRE(truth.size() > 1000);
    std::size_t different = 0;
    for (const trace::Event& event : recording.events.all()) {
      // An arena may be as large as a block.
      const bool is_block = trace::is_allocation(event.kind) && event.lane == trace::Lane::kHeap;
      const auto said = is_block ? truth.find(event.size) : truth.end();
      if (said == truth.end())
        continue;
      const std::string found = python_text(recording.events.definitions(), event.stack);
      CAPTURE(event.size);
      different += found != said->second ? 1U : 0U;
      if (found != said->second && different < 3)
        CHECK(found == said->second);
      truth.erase(said);
    }
    CHECK(different == 0);
    CHECK(truth.empty());
  }
}

TEST_CASE_METHOD(Python, "children of Python, forked and spawned, have their frames") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    for (const std::string way : {"fork", "spawn", "forkserver"}) {
      CAPTURE(way);
      const std::string program =
          "import multiprocessing\n"
          "def child():\n"
          "  block = bytes(2300003)\n"
          "if __name__ == '__main__':\n"
          "  process = multiprocessing.get_context('" +
          way +
          "').Process(target=child)\n"
          "  process.start()\n"
          "  process.join()\n";
      const std::string frames = frames_of(python, program, 2300003 + kHeadBytes);
      CHECK(frames.starts_with("\tchild\t" + here() + "\t3\t"));
    }
  }
}

TEST_CASE_METHOD(Python, "a program that unmaps what looks like the table of its code goes on") {
  const std::string program =
      "import ctypes\n"
      "unmap = ctypes.CDLL(None).munmap\n"
      "unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]\n"
      "found = 0\n"
      "for line in list(open('/proc/self/maps')):\n"
      "  place, rights, _, _, inode, *name = line.split()\n"
      "  begin, end = (int(each, 16) for each in place.split('-'))\n"
      "  if (rights, inode, end - begin) == ('rw-p', '0', (2 << 20) + 4096) and not name:\n"
      "    found += unmap(begin, end - begin) == 0\n"
      "for i in range(200):\n"
      "  exec(f'def f(): return bytes({i + 5000})\\nf()')\n"
      "print(found)\n";
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const Recording recording = record(Words{python, a_file_with(program, "program.py")});
    CHECK(recording.host.status == 0);
    CHECK(recording.host.out == "1\n");
  }
}

TEST_CASE_METHOD(Python, "functions that are made and dropped never have each other's names") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const Recording recording =
        record(Words{python, a_file_with("for i in range(3000):\n"
                                         "  name = 'n%04d' % i\n"
                                         "  exec(f'def {name}():\\n  return "
                                         "bytes({3000000 + i})\\n{name}()', {})\n",
                                         "program.py")});
    std::size_t good = 0;
    for (const trace::Event& event : recording.events.all()) {
      if (!trace::is_allocation(event.kind) || event.size < 3000000 + kHeadBytes ||
          event.size >= 3003000 + kHeadBytes)
        continue;
      const std::string number = std::to_string(event.size - kHeadBytes).substr(3);
      const std::string frames = python_text(recording.events.definitions(), event.stack);
      good += frames == "\tn" + number + "\t<string>\t2\t<module>\t<string>\t3\t<module>\t" +
                            here() + "\t3"
                  ? 1U
                  : 0U;
    }
    CHECK(good == 3000);
  }
}

TEST_CASE_METHOD(Python, "recursion deeper than a stack is kept has its innermost Python frames") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const std::string frames = frames_of(python,
                                         "import sys\n"
                                         "sys.setrecursionlimit(9000)\n"
                                         "def down(n):\n"
                                         "  if n == 0:\n"
                                         "    return bytes(2000003)\n"
                                         "  return down(n - 1)\n"
                                         "down(5000)\n",
                                         2000003 + kHeadBytes);
    const std::string inner = "\tdown\t" + here() + "\t5";
    const std::string outer = "\tdown\t" + here() + "\t6";
    CHECK(frames.starts_with(inner + outer + outer));
    // Before 3.11 each of them has native frames of its own, and a stack has 1,024 in all.
    const bool has_one_evaluator = frames.size() > 900 * outer.size();
    CHECK((has_one_evaluator || (is_before_3_11(python) && frames.size() > 300 * outer.size())));
  }
}

TEST_CASE_METHOD(Python, "a greenlet has the Python frames that it runs, and no others") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    if (!has_module(python, "greenlet")) {
      SKIP_TEST(python << " has no greenlet");
      continue;
    }
    const std::string frames = frames_of(python,
                                         "import greenlet\n"
                                         "def down(n):\n"
                                         "  if n:\n"
                                         "    return down(n - 1)\n"
                                         "  outer.switch()\n"
                                         "  return bytes(2000003)\n"
                                         "outer = greenlet.getcurrent()\n"
                                         "inner = greenlet.greenlet(down)\n"
                                         "inner.switch(2)\n"
                                         "inner.switch()\n",
                                         2000003 + kHeadBytes);
    CHECK(frames.starts_with("\tdown\t" + here() + "\t6\tdown\t" + here() + "\t4\tdown\t" + here() +
                             "\t4"));
  }
}

TEST_CASE_METHOD(Python, "threads that allocate without the lock while Python ends harm nobody") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const Recording recording =
        record(Words{python, a_file_with("import ctypes, threading\n"
                                         "library = ctypes.CDLL(None)\n"
                                         "library.malloc.restype = ctypes.c_void_p\n"
                                         "library.free.argtypes = [ctypes.c_void_p]\n"
                                         "at_work = threading.Semaphore(0)\n"
                                         "def work(depth):\n"
                                         "  if depth:\n"
                                         "    return work(depth - 1)\n"
                                         "  while True:\n"
                                         "    library.free(library.malloc(2400003))\n"
                                         "    at_work.release()\n"
                                         "for i in range(4):\n"
                                         "  threading.Thread(target=work, args=(i * 20,), "
                                         "daemon=True).start()\n"
                                         "for i in range(2000):\n"
                                         "  at_work.acquire()\n",
                                         "program.py")});
    CHECK(recording.host.status == 0);
    CHECK(recording.events.allocations(2400003) > 0);
  }
}

TEST_CASE_METHOD(Python,
                 "a report names the Python line, and shows the frames that are asked for") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const std::string trace =
        record(Words{python, a_file_with("def load(count):\n"
                                         "  return bytes(count)\n"
                                         "def main():\n"
                                         "  return [load(50 << 20) for i in range(2)]\n"
                                         "kept = main()\n",
                                         "program.py")})
            .trace;
    const std::string both = tidemark({"report", trace}).out;
    CHECK(both.find("load  program.py:2") != std::string::npos);
    CHECK(both.find("program.py:4") != std::string::npos);
    CHECK(both.find("_PyEval_EvalFrameDefault") == std::string::npos);
    const std::string native = tidemark({"report", "--frames", "native", trace}).out;
    CHECK(native.find("program.py:2") == std::string::npos);
    const std::string json =
        tidemark({"report", "--frames", "python", "--format", "json", trace}).out;
    const auto stack = nlohmann::json::parse(json)["at_peak"][0]["stack"];
    CHECK(stack[0]["function"] == "load");
    CHECK(stack[0]["line"] == 2);
    CHECK(stack[0]["language"] == "python");
    CHECK(std::all_of(stack.begin(), stack.end(),
                      [](const auto& frame) { return frame.contains("language"); }));
  }
}

TEST_CASE_METHOD(Python, "stacks of Python are the same where lines have moved") {
  const std::string before =
      "def load(count):\n"
      "  return bytes(count)\n"
      "class Loader:\n"
      "  def read(self, count):\n"
      "    return (lambda: bytes(count))()\n"
      "kept = load(20 << 20), Loader().read(10 << 20)\n"
      "more = [load(5 << 20) for i in range(2)]\n";
  const std::string after =
      "# a line\n"
      "class Loader:\n"
      "  # another line\n"
      "  def read(self, count):\n"
      "    more = 20 << 20\n"
      "    return (lambda:\n"
      "      bytes(count + more))()\n"
      "def load(count):\n"
      "\n"
      "  return bytes(count)\n"
      "kept = load(20 << 20), Loader().read(10 << 20)\n"
      "\n"
      "more = [load(5 << 20)\n"
      "  for i in range(2)]\n";
  const std::string baseline = path("baseline.json");
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const std::string first = record(Words{python, a_file_with(before, "program.py")}).trace;
    const std::string second = record(Words{python, a_file_with(after, "program.py")}).trace;
    constexpr std::uint64_t kNotable = std::uint64_t{4} << 20U;
    std::size_t changed = 0;
    const auto diff = nlohmann::json::parse(
        tidemark({"diff", "--top", "0", "--format", "json", first, second}).out)["stacks"];
    for (const auto& stack : diff) {
      const std::uint64_t was = stack["before_bytes"];
      const std::uint64_t is = stack["after_bytes"];
      changed += std::max(was, is) >= kNotable && was != is ? 1U : 0U;
      CHECK((std::max(was, is) < kNotable || stack["match"] == "same"));
    }
    CHECK(changed == 1);
    CHECK(tidemark({"baseline", first, "-o", baseline}).status == 0);
    const std::string gate = path("gate.json");
    CHECK(tidemark({"check", second, "--baseline", baseline, "--json", gate}).status == 1);
    std::ifstream in(gate);
    const auto grown = nlohmann::json::parse(in)["checks"][0]["stacks"];
    CHECK(grown[0]["bytes"] == (30 << 20) + kHeadBytes);
    CHECK(grown[0]["baseline_bytes"] == (10 << 20) + kHeadBytes);
    CHECK(grown[1]["bytes"] < kNotable);
  }
}

TEST_CASE_METHOD(Python, "compare shows the frames that are asked for") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const std::string program = a_file_with("kept = bytes(20 << 20)\n", "program.py");
    for (const std::string frames : {"both", "native"}) {
      const Outcome outcome =
          tidemark({"compare", "--frames", frames, "-o", path("results"), "--before",
                    python + " -c 'kept = bytes(1 << 20)'", "--after", python + ' ' + program});
      CHECK(outcome.status == 0);
      CHECK((outcome.out.find("program.py:1") != std::string::npos) == (frames == "both"));
    }
  }
}

TEST_CASE_METHOD(Python, "a report tells arenas of small objects from mappings of their size") {
  const std::string objects = "kept = [(i, str(i)) for i in range(300000)]\n";
  const std::string mappings =
      "import mmap\n"
      "kept = [mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
      "        for i in range(64)]\n"
      "for each in kept:\n"
      "  each[:] = bytes(1 << 20)\n";
  const std::string few = "kept = bytes(300 << 20)\n" + objects;
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const auto arenas = [&](const std::string& program, const Words& environment) {
      Command command;
      command.words = {python, a_file_with(program, "program.py")};
      command.environment = environment;
      std::uint64_t bytes = 0;
      const auto findings = report(record(command).trace)["findings"];
      for (const auto& finding : findings)
        bytes += finding["kind"] == "python_arenas" ? finding["bytes"].get<std::uint64_t>() : 0;
      return bytes;
    };
    const std::uint64_t found = arenas(objects, {});
    CHECK(found >= std::uint64_t{30} << 20U);
    CHECK(found <= std::uint64_t{60} << 20U);
    CHECK(arenas(objects, {"PYTHONMALLOC=malloc"}) == 0);
    CHECK(arenas(mappings, {}) == 0);
    CHECK(arenas(few, {}) == 0);
  }
}

TEST_CASE_METHOD(Python, "without Python frames a recording of Python has native ones") {
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    Command command;
    command.words = {EndToEnd::command(), "record", "-q",   "--no-python", "-o",
                     EndToEnd::trace(),   "--",     python, "-c",          "bytes(2000003)"};
    CHECK(run_alone(command).status == 0);
    const Events events(trace());
    CHECK(events.allocations(2000003 + kHeadBytes) == 1);
    CHECK(std::none_of(
        events.definitions().frames.begin(), events.definitions().frames.end(),
        [](const trace::Frame& frame) { return frame.language == trace::FrameLanguage::kPython; }));
  }
}

TEST_CASE_METHOD(Python, "a Python whose frames are not read is said, and recorded all the same") {
  const char* old = std::getenv("TIDEMARK_UNREAD_PYTHON");
  if (old == nullptr) {
    SKIP_TEST("TIDEMARK_UNREAD_PYTHON names no Python before 3.10");
    return;
  }
  const Outcome outcome = tidemark({"record", "-o", trace(), "--", old, "-c", "bytes(2000003)"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("frames of Python 3.") != std::string::npos);
  CHECK(outcome.err.find(" are not known to this tidemark") != std::string::npos);
  CHECK(Events(trace()).allocations(2000003 + kHeadBytes) == 1);
  CHECK(tidemark({"report", trace()}).out.find("Frames of Python 3.") != std::string::npos);
}
