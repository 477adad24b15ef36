// Programs that live from the allocator, each as its literature describes it, written anew.
//
//   workloads NAME [PERCENT]
//
// PERCENT of the usual work, 100 unless named. NAME:
//
//   containers    std::map, std::unordered_map, std::vector and std::string that fill and empty
//   parser        a JSON text read into a tree of small nodes, and thrown away, again and again
//   big-numbers   factors by Pollard's rho over numbers on the heap: each step makes and drops some
//                 (as cfrac: two small blocks alive, all others gone at once)
//   covers        sets of bits in growing covers that are sorted, merged and dropped in groups (as
//                 espresso)
//   sizes         many blocks of one size, then all are freed, size by size (as glibc-simple)
//   slots         random places of a large table, sizes of 16 bytes to 4 KiB (as alloc-test)
//   batches       two threads: batches, some kept, some handed to the other thread (as mstress)
//   server        two threads replace random blocks and hand them on to new threads (as larson)

#include "random.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using bench_host::Random;

using Blocks = std::vector<void*>;

/// So that no result is thought away.
std::atomic<std::uint64_t> g_sum;

// ---- containers ----

std::string word(Random& random) {
  return std::string(4 + random.below(40), static_cast<char>('a' + random.below(26)));
}

void use_containers(long percent) {
  Random random(1);
  std::map<std::uint64_t, std::string> ordered;
  std::unordered_map<std::string, std::vector<std::uint64_t>> hashed;
  for (long i = 0; i < 1500 * percent; ++i) {
    const std::uint64_t key = random.below(100'000);
    ordered[key] += word(random);
    hashed[std::to_string(key % 20'000)].push_back(key);
    if (i % 3 == 0)
      ordered.erase(random.below(100'000));
    if (i % 5 == 0)
      hashed.erase(std::to_string(random.below(20'000)));
  }
  g_sum += ordered.size() + hashed.size();
}

// ---- parser ----

struct Node {
  std::string text;
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> members;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}
  std::unique_ptr<Node> value() {
    auto node = std::make_unique<Node>();
    if (text_[at_] == '{') {
      for (++at_; text_[at_] != '}';) {
        std::string name = quoted();
        ++at_;  // the colon
        node->members.emplace_back(std::move(name), value());
        at_ += text_[at_] == ',' ? 1 : 0;
      }
      ++at_;
    } else {
      node->text = quoted();
    }
    return node;
  }

 private:
  std::string quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    std::string part(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return part;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string make_json(Random& random, int depth) {
  if (depth == 0)
    return '"' + word(random) + '"';
  std::string text = "{";
  for (int i = 0; i < 6; ++i)
    text += (i == 0 ? "\"" : ",\"") + word(random) + "\":" + make_json(random, depth - 1);
  return text + '}';
}

void parse(long percent) {
  Random random(2);
  const std::string text = make_json(random, 5);
  for (long i = 0; i < percent; ++i)
    g_sum += Parser(text).value()->members.size();
}

// ---- big numbers ----

/// A natural number on the heap, 32 bits a digit, least first.
class Number {
 public:
  explicit Number(std::uint64_t value)
      : digits_(std::make_unique<Digits>(
            Digits{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)})) {}
  [[nodiscard]] std::uint64_t value() const {
    return (*digits_)[0] | static_cast<std::uint64_t>((*digits_)[1]) << 32;
  }

 private:
  using Digits = std::array<std::uint32_t, 8>;
  std::unique_ptr<Digits> digits_;
};

Number product(const Number& one, const Number& other, const Number& modulus) {
  using Wide = unsigned __int128;
  return Number(
      static_cast<std::uint64_t>(static_cast<Wide>(one.value()) * other.value() % modulus.value()));
}

Number sum(const Number& one, const Number& other, const Number& modulus) {
  return Number((one.value() + other.value()) % modulus.value());
}

Number divisor(Number one, Number other) {
  while (other.value() != 0) {
    Number rest(one.value() % other.value());
    one = std::move(other);
    other = std::move(rest);
  }
  return one;
}

void factor(long percent) {
  const Number product_of_primes(1'000'003ULL * 1'000'000'007ULL);
  for (long round = 0; round < percent; ++round) {
    const Number step(static_cast<std::uint64_t>(round) + 1);
    Number slow(2);
    Number fast(2);
    for (int i = 0; i < 15'000; ++i) {
      const auto next = [&](const Number& x) {
        return sum(product(x, x, product_of_primes), step, product_of_primes);
      };
      slow = next(slow);
      fast = next(next(fast));
      const std::uint64_t apart =
          std::max(slow.value(), fast.value()) - std::min(slow.value(), fast.value());
      if (i % 16 == 0)
        g_sum += divisor(Number(apart), Number(product_of_primes.value())).value();
    }
  }
}

// ---- covers ----

using Set = std::unique_ptr<std::uint64_t[]>;

void minimize(long percent) {
  Random random(4);
  for (long round = 0; round < 400 * percent; ++round) {
    const std::size_t words = 1 + random.below(12);
    std::vector<Set> cover;
    for (std::size_t left = 60 + random.below(200); left > 0; --left) {
      Set set = std::make_unique<std::uint64_t[]>(words);
      for (std::size_t at = 0; at < words; ++at)
        set[at] = random.next();
      cover.push_back(std::move(set));
    }
    std::ranges::sort(cover, {}, [](const Set& set) { return set[0]; });
    while (cover.size() > 8) {
      std::vector<Set> merged;
      for (std::size_t i = 0; i + 1 < cover.size(); i += 2) {
        Set both = std::make_unique<std::uint64_t[]>(words);
        for (std::size_t at = 0; at < words; ++at)
          both[at] = cover[i][at] | cover[i + 1][at];
        merged.push_back(std::move(both));
      }
      cover = std::move(merged);
    }
    g_sum += cover[0][0];
  }
}

// ---- one size after another ----

void use_sizes(long percent) {
  Blocks blocks;
  for (long round = 0; round < 5 * percent; ++round) {
    for (std::size_t size = 16; size <= 1024; size *= 2) {
      for (const std::size_t count :
           {std::size_t{25}, std::size_t{100}, std::size_t{400}, std::size_t{1600}}) {
        for (std::size_t i = 0; i < count; ++i)
          blocks.push_back(std::malloc(size));
        for (void* block : blocks)
          std::free(block);
        blocks.clear();
      }
    }
  }
}

// ---- a large table ----

void use_slots(long percent) {
  Random random(6);
  Blocks slots(100'000);
  for (long i = 0; i < 10'000 * percent; ++i) {
    void*& slot = slots[random.below(slots.size())];
    std::free(slot);
    slot = std::malloc(std::size_t{16} << random.below(9));
  }
  for (void* slot : slots)
    std::free(slot);
}

// ---- threads ----

void on_threads(void (*run)(int, long), long percent) {
  std::thread other(run, 1, percent);
  run(0, percent);
  other.join();
}

constexpr std::size_t kTransfers = 1000;
std::array<std::atomic<void*>, kTransfers> g_transfers;

void make_batches(int thread, long percent) {
  Random random(static_cast<std::uint64_t>(thread) + 10);
  Blocks kept;
  for (long round = 0; round < 150 * percent; ++round) {
    Blocks batch;
    for (int i = 0; i < 100; ++i) {
      const std::size_t count = 1 + random.below(100) / 99 * 63;
      batch.push_back(std::calloc(count * (1 + random.below(4)), 16));
    }
    for (void* block : batch) {
      const std::size_t percentile = random.below(100);
      if (percentile < 10)
        block = g_transfers[random.below(kTransfers)].exchange(block);
      if (percentile >= 90)
        kept.push_back(block);
      else
        std::free(block);
    }
    if (kept.size() > 10'000) {
      for (void* block : kept)
        std::free(block);
      kept.clear();
    }
  }
  for (void* block : kept)
    std::free(block);
}

void serve(int thread, long percent) {
  constexpr long kGenerations = 10;
  Blocks blocks(1000);
  for (long generation = 0; generation < kGenerations; ++generation) {
    std::thread([&] {
      Random random(static_cast<std::uint64_t>(10 * thread + generation) + 20);
      for (long i = 0; i < 5000 * percent; ++i) {
        void*& block = blocks[random.below(blocks.size())];
        std::free(block);
        block = std::malloc(8 + random.below(992));
      }
    }).join();
  }
  for (void* block : blocks)
    std::free(block);
}

void end_transfers() {
  for (auto& transfer : g_transfers)
    std::free(transfer.exchange(nullptr));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const long percent = argc > 2 ? std::atol(argv[2]) : 100;
  if (name == "containers")
    use_containers(percent);
  else if (name == "parser")
    parse(percent);
  else if (name == "big-numbers")
    factor(percent);
  else if (name == "covers")
    minimize(percent);
  else if (name == "sizes")
    use_sizes(percent);
  else if (name == "slots")
    use_slots(percent);
  else if (name == "batches")
    on_threads(make_batches, percent);
  else if (name == "server")
    on_threads(serve, percent);
  else
    return 2;
  end_transfers();
  std::printf("%llu\n", static_cast<unsigned long long>(g_sum.load()));
  return 0;
}
