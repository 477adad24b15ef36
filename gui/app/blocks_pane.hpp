/// The live blocks over time.
#pragma once

#include "gui/app/desk.hpp"
#include "gui/view/block_picture.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace tidemark::gui {

class BlocksPane {
 public:
  void show(const Desk& desk);

 private:
  BlockName name(const Desk& desk, const LongBlock& block);
  void tell(const Desk& desk, const LongBlock& block);
  void toolbar(const Desk& desk, const BlockList& list, const BlockStack& stack);

  const OpenTrace* named_for_ = nullptr;
  std::unordered_map<std::uint32_t, std::string> names_;  // By StackId.
  std::optional<std::uint64_t> hovered_;
};

}  // namespace tidemark::gui
