#!/usr/bin/env python3
"""Writes a llama model of random weights as GGUF: enough for llama.cpp to load it."""

import random
import struct
import sys

WIDTH, LAYERS, HIDDEN, HEADS, WORDS = 512, 12, 1536, 8, 4000
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5
ALIGNMENT = 32


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, data):
    return text(key) + struct.pack("<I", kind) + data


def number(key, value):
    return pair(key, UINT32, struct.pack("<I", value))


def array(key, kind, items):
    return pair(key, ARRAY, struct.pack("<IQ", kind, len(items)) + b"".join(items))


def pairs():
    words = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    words += [f"\u2581w{i}" for i in range(WORDS - len(words))]
    kinds = [2, 3, 3] + [6] * 256 + [1] * (WORDS - 259)
    return [pair("general.architecture", STRING, text("llama")), number("llama.context_length", 512),
            number("llama.embedding_length", WIDTH), number("llama.block_count", LAYERS),
            number("llama.feed_forward_length", HIDDEN), number("llama.attention.head_count", HEADS),
            number("llama.rope.dimension_count", WIDTH // HEADS),
            pair("llama.attention.layer_norm_rms_epsilon", FLOAT32, struct.pack("<f", 1e-5)),
            pair("tokenizer.ggml.model", STRING, text("llama")),
            array("tokenizer.ggml.tokens", STRING, [text(word) for word in words]),
            array("tokenizer.ggml.scores", FLOAT32, [struct.pack("<f", -i) for i in range(WORDS)]),
            array("tokenizer.ggml.token_type", INT32, [struct.pack("<i", kind) for kind in kinds]),
            number("tokenizer.ggml.bos_token_id", 1), number("tokenizer.ggml.eos_token_id", 2)]


def tensors():
    yield "token_embd.weight", (WIDTH, WORDS)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{name}.weight", (WIDTH, WIDTH)
        yield f"blk.{layer}.ffn_gate.weight", (WIDTH, HIDDEN)
        yield f"blk.{layer}.ffn_up.weight", (WIDTH, HIDDEN)
        yield f"blk.{layer}.ffn_down.weight", (HIDDEN, WIDTH)
        yield f"blk.{layer}.attn_norm.weight", (WIDTH,)
        yield f"blk.{layer}.ffn_norm.weight", (WIDTH,)
    yield "output_norm.weight", (WIDTH,)
    yield "output.weight", (WIDTH, WORDS)


def main():
    heads, at = [], 0
    shapes = list(tensors())
    for name, shape in shapes:
        heads.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at))
        count = 1
        for length in shape:
            count *= length
        at += (4 * count + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    facts = pairs()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(shapes), len(facts)) + b"".join(facts) + b"".join(heads)
    random.seed(1)
    block = struct.pack("<1024f", *(random.gauss(0, 0.02) for _ in range(1024)))
    with open(sys.argv[1], "wb") as file:
        file.write(head + b"\0" * (-len(head) % ALIGNMENT))
        file.write((block * (at // len(block) + 1))[:at])


if __name__ == "__main__":
    main()
