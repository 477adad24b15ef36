/// Offsets of the CPython fields that a walk of its frames reads, for each version.
#pragma once

#include "preload/wire/kinds.hpp"

#include <cstdint>

namespace tidemark::python {

/// How a thread's state leads to the frames that each call of the evaluator runs. Each call has an
/// *anchor*, a variable in its C frame that tells which frames are its own.
enum class Chain : std::uint8_t {
  kPairs,        ///< 3.10: a list of anchors and a list of frames; each call runs one frame.
  kCFrames,      ///< 3.11: a list of anchors, each with its innermost frame; a flag ends a run.
  kCFrameEntry,  ///< 3.12: kEntryFrames, which the first anchor of that list leads to.
  kEntryFrames,  ///< 3.13 on: one list of frames, in which the anchors stand between the runs.
};

/// Offsets in bytes.
struct Layout {
  std::uint32_t version = 0;  ///< Py_Version's upper half: 0x030b is 3.11.
  Chain chain = Chain::kCFrames;
  wire::LineFormat line_format = wire::LineFormat::kNone;
  // _PyRuntime
  std::uint32_t finalizing = 0;  ///< Thread state that finalizes the interpreter; null before.
  std::uint32_t auto_key = 0;    ///< Py_tss_t: the key under which a thread finds its state. From
                                 ///< 3.15 on there is none (thread_local.hpp).
  // PyThreadState
  std::uint32_t thread_id = 0;
  std::uint32_t start = 0;        ///< Its innermost anchor; with kEntryFrames, its innermost frame.
  std::uint32_t start_frame = 0;  ///< kPairs only: its innermost frame.
  std::uint32_t root_anchor = 0;  ///< kPairs only: in the state itself, and of no frame.
  // _PyCFrame
  std::uint32_t anchor_frame = 0;
  std::uint32_t anchor_previous = 0;
  // _PyInterpreterFrame, PyFrameObject in 3.10
  std::uint32_t frame_previous = 0;
  std::uint32_t frame_code = 0;
  std::uint32_t frame_instruction = 0;  ///< An address; with kPairs a number, counted in units.
  std::uint32_t frame_owner = 0;
  std::uint32_t frame_is_entry = 0;  ///< kCFrames only.
  // PyCodeObject
  std::uint32_t code_file = 0;
  std::uint32_t code_name = 0;
  std::uint32_t code_first_line = 0;
  std::uint32_t code_lines = 0;
  std::uint32_t code_begin = 0;  ///< The bytecode, in the object itself.
  std::uint32_t code_first_traceable = 0;
  // PyUnicodeObject
  std::uint32_t ascii_text = 0;  ///< The characters of a string that is all ASCII.
  std::uint32_t other_text = 0;  ///< Those of another one.
};

/// Offsets that have not changed since 3.0.
constexpr std::uint32_t kObjectReferences = 0;
constexpr std::uint32_t kObjectType = 8;
constexpr std::uint32_t kObjectSize = 16;  ///< The number of items, in objects of variable size.
constexpr std::uint32_t kBytesText = 32;
constexpr std::uint32_t kUnicodeLength = 16;
constexpr std::uint32_t kUnicodeState = 32;
constexpr std::uint32_t kTypeName = 24;
constexpr std::uint32_t kTypeDealloc = 48;

/// Values of frame_owner.
constexpr std::uint8_t kOwnedByGenerator = 1;
constexpr std::uint8_t kOwnedByCStack = 3;  ///< Or, from 3.14 on, by the interpreter.

/// From 3.14 on a frame's code object is a _PyStackRef: an address with tag bits in its lowest
/// bits.
constexpr std::uint64_t kTagBits = 3;

/// @param version the upper half of Py_Version.
/// @return nullptr for a version that is not known.
const Layout* find_layout(std::uint32_t version);

}  // namespace tidemark::python
