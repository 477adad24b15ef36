#pragma once

#include <cstddef>
#include <cstdint>

/// The opcodes of pickle protocol 2 that `torch.save` of a state_dict writes (CPython,
/// Lib/pickletools.py). Arguments follow the opcode, little-endian.
namespace tidemark::loaders::burn::pickle {

enum class Opcode : std::uint8_t {
  kMark = '(',
  kEmptyTuple = ')',
  kStop = '.',
  kBinInt = 'J',   ///< i32
  kBinInt1 = 'K',  ///< u8
  kBinInt2 = 'M',  ///< u16
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',  ///< u32 bytes of UTF-8
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',  ///< module, line feed, name, line feed
  kAppends = 'e',
  kBinGet = 'h',      ///< u8
  kLongBinGet = 'j',  ///< u32
  kBinPut = 'q',      ///< u8
  kLongBinPut = 'r',  ///< u32
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kProto = 0x80,  ///< u8
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,  ///< u8 bytes of two's complement
};

inline constexpr std::uint8_t kProtocol = 2;

/// Items that Python's pickler puts between one MARK and its SETITEMS.
inline constexpr std::size_t kBatch = 1000;

}  // namespace tidemark::loaders::burn::pickle
