// `record --sample`: everything is counted, and a sample of the small blocks has stacks.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace tidemark;
using tests::EndToEnd;
using tests::Events;
using tests::Words;

namespace {

constexpr std::uint64_t kSampleBytes = 65'536;
const std::vector<std::uint64_t> kSmallSizes{1003, 2003, 20011, 30011};
const std::vector<std::uint64_t> kAllSizes{1003, 2003, 20011, 30011, 700001};

class SampledStacks : public EndToEnd {
 public:
  /// The program's trace, with its stacks sampled.
  Events record_sampled(const Words& arguments) {
    const Words program = host("small_blocks", arguments);
    Words words{"record", "-q", "--sample", "64KiB", "-o", trace(), "--"};
    words.insert(words.end(), program.begin(), program.end());
    end_status = tidemark(words).status;
    return Events(trace());
  }

  int end_status = 0;
};

bool has_own_stack(const trace::Event& event) {
  return event.stack != trace::kUnsampledStack;
}

/// Heap blocks of `size` bytes that came, and those of them with a stack.
struct SampledCounts {
  double all = 0;
  double sampled = 0;
};

SampledCounts sampled_counts(const Events& events, std::uint64_t size) {
  SampledCounts counts;
  for (const trace::Event& event : events.all()) {
    if (trace::is_allocation(event.kind) && event.lane == trace::Lane::kHeap &&
        event.size == size) {
      counts.all += 1;
      counts.sampled += has_own_stack(event) ? 1 : 0;
    }
  }
  return counts;
}

/// Six standard deviations, and some blocks more where there are few: once in a thousand million
/// runs.
void check_sampled_share(const Events& events, std::uint64_t size, double blocks) {
  CAPTURE(size);
  const double chance = 1 - std::exp(-static_cast<double>(size) / kSampleBytes);
  const SampledCounts counts = sampled_counts(events, size);
  CHECK(counts.all == blocks);
  CHECK(std::abs(counts.sampled - blocks * chance) <
        6 + 6 * std::sqrt(blocks * chance * (1 - chance)));
}

void check_sampled_shares(const Events& events, double times) {
  check_sampled_share(events, 1003, 40000 * times);
  check_sampled_share(events, 2003, 40 * times);
  check_sampled_share(events, 20011, 2000 * times);
  check_sampled_share(events, 30011, 40 * times);
  const SampledCounts large = sampled_counts(events, 700001);
  CHECK(large.all == 4 * times);
  CHECK(large.sampled == large.all);
}

/// Which of the blocks of 1,003 bytes were sampled, process by process.
std::vector<std::vector<bool>> samples_by_process(const Events& events) {
  std::map<std::uint32_t, std::vector<bool>> samples;
  for (const trace::Event& event : events.all()) {
    if (trace::is_allocation(event.kind) && event.size == 1003)
      samples[events.process(event).pid].push_back(has_own_stack(event));
  }
  std::vector<std::vector<bool>> all;
  for (auto& [pid, sample] : samples)
    all.push_back(std::move(sample));
  return all;
}

}  // namespace

TEST_CASE_METHOD(SampledStacks, "totals and peak are the same to the byte with sampled stacks") {
  const auto whole = record(host("small_blocks"));
  const Events sampled = record_sampled({});
  CHECK(end_status == 0);
  CHECK(sampled.session().sample_bytes == kSampleBytes);
  CHECK(whole.events.session().sample_bytes == 0);
  CHECK(sampled.peak(trace::Lane::kHeap) == whole.events.peak(trace::Lane::kHeap));
  CHECK(sampled.levels(trace::Lane::kHeap) == whole.events.levels(trace::Lane::kHeap));
  for (const std::uint64_t size : kAllSizes) {
    CAPTURE(size);
    CHECK(sampled.allocations(size) == whole.events.allocations(size));
    CHECK(sampled.releases(size) == whole.events.releases(size));
  }
}

TEST_CASE_METHOD(SampledStacks, "a block's chance of a stack is that of a sample point in it") {
  const Events events = record_sampled({});
  check_sampled_shares(events, 1);
  CHECK(events.allocations_in("large", 700001) == 4);
  for (const std::uint64_t size : kSmallSizes) {
    CAPTURE(size);
    const std::string function = size == 1003 ? "many" : size == 20011 ? "some" : "grown";
    CHECK(static_cast<double>(events.allocations_in(function, size)) ==
          sampled_counts(events, size).sampled);
  }
}

TEST_CASE_METHOD(SampledStacks, "what is not sampled has one stack, which says so") {
  const Events events = record_sampled({});
  std::set<std::vector<std::string>> names;
  for (const trace::Event& event : events.all()) {
    if (trace::is_allocation(event.kind) && !has_own_stack(event))
      names.insert(events.functions(event));
  }
  CHECK(names == std::set<std::vector<std::string>>{{"[stack not sampled]"}});
  // Mappings and reads have theirs.
  CHECK(events.count([](const trace::Event& event) {
    return event.lane != trace::Lane::kHeap && !has_own_stack(event);
  }) == 0);
}

TEST_CASE_METHOD(SampledStacks, "each thread samples for itself") {
  const Events events = record_sampled({"threads"});
  CHECK(end_status == 0);
  check_sampled_shares(events, 5);
}

TEST_CASE_METHOD(SampledStacks, "a forked child samples, and other blocks than its siblings") {
  const Events events = record_sampled({"forks"});
  CHECK(end_status == 0);
  check_sampled_shares(events, 5);
  auto samples = samples_by_process(events);
  CHECK(samples.size() == 5);
  std::ranges::sort(samples);
  CHECK(std::ranges::adjacent_find(samples) == samples.end());
}

TEST_CASE_METHOD(SampledStacks, "of a program that was killed the sample is there") {
  const Events events = record_sampled({"then_killed"});
  CHECK(end_status == 128 + 9);
  check_sampled_shares(events, 1);
}

TEST_CASE_METHOD(SampledStacks, "libunwind is compared with where stacks are taken") {
  const Words program = host("small_blocks");
  const auto outcome = tidemark(
      {"record", "--unwinder", "check", "--sample", "64KiB", "-o", trace(), "--", program.front()});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find(" stacks compared with libunwind's: 0 differ") != std::string::npos);
  // Some sixteen hundred, not eighty thousand.
  const Events events(trace());
  const std::size_t taken = events.count([](const trace::Event& event) {
    return trace::is_allocation(event.kind) && has_own_stack(event);
  });
  CHECK(taken < 5000);
}

TEST_CASE_METHOD(SampledStacks, "estimates of who holds small blocks stand beside what is exact") {
  record_sampled({});
  const auto sampling = report(trace()).at("sampling");
  CHECK(sampling.at("sample_bytes") == kSampleBytes);
  const auto functions = sampling.at("functions");
  std::map<std::string, double> errors;
  const std::map<std::string, double> truth{{"many", 4000 * 1003.0}, {"some", 2000 * 20011.0}};
  for (const auto& function : functions) {
    const auto known = std::ranges::find_if(truth, [&](const auto& one) {
      return function.at("function").get<std::string>().find("::" + one.first + "(") !=
             std::string::npos;
    });
    if (known == truth.end())
      continue;
    const auto estimate = function.at("estimate");
    // The stated error is two standard errors; ten of them do not flake.
    errors[known->first] = std::abs(estimate.at("bytes").get<double>() - known->second) /
                           estimate.at("error_bytes").get<double>();
  }
  CHECK(errors.size() == 2);
  for (const auto& [name, error] : errors) {
    CAPTURE(name);
    CHECK(error < 5);
  }
}

TEST_CASE_METHOD(SampledStacks, "a child of `compare` is sampled, and contradictions are refused") {
  const std::string program = host("small_blocks").front();
  for (const Words& more : {Words{"--stacks-above", "1KiB"}, Words{"--unwinder", "none"}}) {
    Words words{"record", "--sample", "64KiB", "-o", trace()};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", program});
    const auto outcome = tidemark(words);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--sample") != std::string::npos);
  }
  for (const char* size : {"0", "1", "2TiB", "many"}) {
    CAPTURE(size);
    CHECK(tidemark({"record", "--sample", size, "-o", trace(), "--", program}).status == 2);
  }
  const auto compared = tidemark({"compare", "--before", program, "--after", program, "--sample",
                                  "64KiB", "-o", path("results")});
  CHECK(compared.status == 0);
}
