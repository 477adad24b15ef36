/// Every n-th call failed in turn, and what must hold after each.
#pragma once

#include "tests/faults/faulty_program.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::faults {

/// What can go wrong with calls of one kind, each in a scan of its own.
struct FaultKind {
  std::string name;
  Fault fault;  ///< Its number is left to the scan.
};

/// Everything that the fault object can do, but for Effect::kDie.
std::vector<FaultKind> every_kind();
/// The same, but that of all memory only operator new fails: for verbs that use libraries which do
/// not survive a malloc that gets nothing (fontconfig and freetype, below cairo).
std::vector<FaultKind> every_kind_but_malloc();

/// What is wrong with a run, a line each; empty: nothing. `right` is one without a fault.
using Judge = std::function<std::vector<std::string>(const Run& run, const Run& right)>;

/// For verbs that read a trace: the right output and status, or status 2, one sentence, and no
/// file.
std::vector<std::string> judge_reader(const Run& run, const Run& right);

/// Every `stride`-th call of each kind is made to fail, and each one of up to 30; what `judge`
/// objects to fails the test. TIDEMARK_EVERY_FAULT=1 in the environment makes each stride 1.
void scan(FaultyProgram& program,
          const std::vector<FaultKind>& kinds,
          const Judge& judge,
          std::uint64_t stride = 1);

}  // namespace tidemark::faults
