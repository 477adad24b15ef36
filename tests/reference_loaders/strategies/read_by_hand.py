"""Reads a GGUF or safetensors file with struct and json alone, as the specifications have it.

Prints each metadata key with the CRC-32 of its value's text, and each tensor with the CRC-32 of its
bytes: a second reader, which shares nothing with the one that is tested.
"""
import json
import struct
import sys
import zlib

GGUF_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
GGUF_TENSORS = {0: ("float32", 4), 30: ("bfloat16", 2)}
SAFETENSORS = {"F32": ("float32", 4), "BF16": ("bfloat16", 2)}


def product(shape):
    result = 1
    for extent in shape:
        result *= extent
    return result


class Fields:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        length = self.take("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.string()
        if kind == 9:
            kind, count = self.take("I"), self.take("Q")
            return [self.value(kind) for _ in range(count)]
        return self.take(GGUF_SCALARS[kind])


def text(value):
    if isinstance(value, list):
        return "[" + ", ".join(text(element) for element in value) + "]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def read_gguf(data):
    fields = Fields(data)
    assert fields.take("4s") == b"GGUF" and fields.take("I") == 3
    tensor_count, metadata_count = fields.take("Q"), fields.take("Q")
    metadata = {}
    for _ in range(metadata_count):
        key = fields.string()
        metadata[key] = fields.value(fields.take("I"))
    infos = []
    for _ in range(tensor_count):
        name = fields.string()
        extents = [fields.take("Q") for _ in range(fields.take("I"))]
        infos.append((name, extents[::-1], *GGUF_TENSORS[fields.take("I")], fields.take("Q")))
    alignment = metadata.get("general.alignment", 32)
    begin = -(-fields.at // alignment) * alignment
    assert all(offset % alignment == 0 for *_, offset in infos)
    return metadata, [
        (name, dtype, shape, data[begin + offset :][: product(shape) * width])
        for name, shape, dtype, width, offset in infos
    ]


def read_safetensors(data):
    (size,) = struct.unpack_from("<Q", data)
    assert size % 8 == 0
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = []
    for name, info in header.items():
        dtype, width = SAFETENSORS[info["dtype"]]
        begin, end = info["data_offsets"]
        assert end - begin == product(info["shape"]) * width
        tensors.append((name, dtype, info["shape"], data[8 + size + begin : 8 + size + end]))
    return metadata, tensors


with open(sys.argv[1], "rb") as file:
    content = file.read()
found_metadata, found = (read_gguf if content[:4] == b"GGUF" else read_safetensors)(content)
for key, value in found_metadata.items():
    print(f"{key} = {zlib.crc32(text(value).encode()):08x}")
for name, dtype, shape, payload in found:
    print(f"{name} {dtype} {shape} {zlib.crc32(payload):08x}")
