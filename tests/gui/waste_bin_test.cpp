#include "gui/view/basics/waste_bin.hpp"

#include "tests/support/catch.hpp"

#include <latch>
#include <memory>
#include <thread>

using namespace tidemark;
using gui::WasteBin;

namespace {

/// Counts its end, and holds another one.
struct Large {
  int& freed;
  std::shared_ptr<const Large> other{};

  explicit Large(int& count, std::shared_ptr<const Large> held = nullptr)
      : freed(count), other(std::move(held)) {}
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;
  ~Large() { ++freed; }
};

std::shared_ptr<const Large> large(const std::shared_ptr<WasteBin>& bin,
                                   int& freed,
                                   std::shared_ptr<const Large> held = nullptr) {
  return WasteBin::shared(bin, std::make_unique<const Large>(freed, std::move(held)));
}

}  // namespace

TEST_CASE("what the last one throws away is freed as the bin is emptied", "[gui]") {
  int freed = 0;
  const auto bin = std::make_shared<WasteBin>();
  auto one = large(bin, freed);
  auto same = one;
  one.reset();
  CHECK(bin->is_empty());
  same.reset();
  CHECK_FALSE(bin->is_empty());
  CHECK(freed == 0);

  bin->empty();

  CHECK(bin->is_empty());
  CHECK(freed == 1);
}

TEST_CASE("what is thrown away with something else in it is freed in two goes", "[gui]") {
  int freed = 0;
  const auto bin = std::make_shared<WasteBin>();
  auto outer = large(bin, freed, large(bin, freed));
  outer.reset();

  bin->empty();
  CHECK(freed == 1);
  CHECK_FALSE(bin->is_empty());
  bin->empty();
  CHECK(freed == 2);
}

TEST_CASE("behind the end of a bin nothing stays in it", "[gui]") {
  int freed = 0;
  std::weak_ptr<WasteBin> left;
  {
    const auto bin = std::make_shared<WasteBin>();
    left = bin;
    auto before = large(bin, freed, large(bin, freed));
    auto after = large(bin, freed);
    before.reset();
    bin->close();
    CHECK(freed == 2);
    after.reset();
    CHECK(freed == 3);
  }
  CHECK(left.expired());
}

TEST_CASE("what is freed aside keeps nobody, and is freed on another thread", "[gui]") {
  struct Told {
    std::thread::id& freed_on;
    std::latch& may_go;
    Told(std::thread::id& told, std::latch& until) : freed_on(told), may_go(until) {}
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
    ~Told() {
      may_go.wait();
      freed_on = std::this_thread::get_id();
    }
  };
  std::thread::id freed_on;
  std::latch may_go(1);

  auto freed = gui::free_aside(std::make_unique<const Told>(freed_on, may_go));
  may_go.count_down();  // Never reached where it waits for the end.
  freed.wait();

  CHECK(freed_on != std::thread::id());
  CHECK(freed_on != std::this_thread::get_id());
}
