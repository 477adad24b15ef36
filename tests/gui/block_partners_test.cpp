#include "gui/view/blocks/block_partners.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/gui/gathered_blocks.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;

TEST_CASE("blocks that the same stack asked for are partners, and no others", "[gui]") {
  tests::TraceBuilder before;
  before.at_ns(1000).allocate(500, before.stack({"malloc", "read_whole", "load", "main"}));
  before.at_ns(2000).allocate(300, before.stack({"malloc", "convert", "load", "main"}));
  auto old_trace = before.open();
  tests::TraceBuilder after;
  after.at_ns(1000).allocate(20, after.stack({"malloc", "stream", "load", "main"}));
  const auto converting = after.stack({"malloc", "convert", "load", "main"});
  after.at_ns(2000).allocate(300, converting);
  // Another stack, that reads the same: what passes requests on is no part of it.
  after.at_ns(3000).allocate(
      300, after.stack({"malloc", "operator new(unsigned long)", "convert", "load", "main"}));
  auto new_trace = after.open();
  const gui::BlockList olds = tests::gathered(old_trace);
  const gui::BlockList news = tests::gathered(new_trace);
  REQUIRE(olds.blocks.size() == 2);
  REQUIRE(news.blocks.size() == 3);

  const gui::BlockPartners partners(stacks_of(olds, old_trace.definitions()),
                                    stacks_of(news, new_trace.definitions()));

  CHECK_FALSE(partners.partner_of(0, olds.blocks[0]).has_value());
  CHECK_FALSE(partners.partner_of(1, news.blocks[0]).has_value());
  CHECK(partners.partner_of(0, olds.blocks[1]) == news.blocks[1].stack);
  CHECK(partners.partner_of(1, news.blocks[2]) == olds.blocks[1].stack);
  CHECK(partners.are_partners(0, olds.blocks[1], news.blocks[2]));
  CHECK(partners.are_partners(1, news.blocks[1], olds.blocks[1]));
  CHECK_FALSE(partners.are_partners(0, olds.blocks[0], news.blocks[1]));
  CHECK_FALSE(gui::BlockPartners().are_partners(0, olds.blocks[1], news.blocks[1]));
  // The same stack in another lane asks for something else.
  gui::LongBlock mapped = news.blocks[1];
  mapped.lane = trace::Lane::kAnon;
  CHECK_FALSE(partners.are_partners(0, olds.blocks[1], mapped));
}
