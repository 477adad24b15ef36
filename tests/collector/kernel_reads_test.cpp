#include "collector/kernel_reads.hpp"

#include "tests/support/catch.hpp"

using tidemark::KernelReads;

TEST_CASE("what neither hooks nor the loader account for was not seen", "[kernel_reads]") {
  KernelReads reads;
  reads.add_root(1000);
  CHECK(reads.unseen({}) == 1000);
  CHECK(reads.unseen({.seen_bytes = 1000}) == 0);
  CHECK(reads.unseen({.seen_bytes = 600, .told_bytes = 300}) == 100);
  CHECK(reads.unseen({.seen_bytes = 600, .told_bytes = 400}) == 0);
  // Streams may give back what was read, so that hooks have seen more than the kernel.
  CHECK(reads.unseen({.seen_bytes = 1200}) == 0);
}

TEST_CASE("the loader's reads alone are no unseen ones", "[kernel_reads]") {
  KernelReads reads;
  reads.add_root(1000);
  CHECK(reads.unseen({.seen_bytes = 900, .loader_bytes = 100}) == 0);
  CHECK(reads.unseen({.seen_bytes = 899, .loader_bytes = 100}) == 101);
}

TEST_CASE("each process that nobody has waited for counts beside the first one", "[kernel_reads]") {
  KernelReads reads;
  reads.add(300);
  reads.add({});
  reads.add_root(1000);
  reads.add(50);
  CHECK(reads.unseen({}) == 1350);
}

TEST_CASE("where the kernel does not say what the first process read, nothing is known",
          "[kernel_reads]") {
  KernelReads reads;
  reads.add(300);
  CHECK(reads.unseen({}) == 0);
  reads.add_root({});
  CHECK(reads.unseen({}) == 0);
}
