#!/usr/bin/env python3
"""Writes the corpus of the trace reader: small traces of today's format, and one thing at a time that may be wrong.

    make_trace_corpus.py GENERATE_TRACE    (build/bin/tidemark-generate-trace)

To be run when the format gets a new kind of event or definition, or a new major version: a reader refuses all that is
older at the first look, so an old corpus tests nothing but that. Checksums need not be right: the target makes them so.
"""

import struct
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
TINY = TESTS / "data/trace/tiny.tmk"
CORPUS = TESTS / "fuzz/corpus/trace_reader"

FILE_HEADER = 32
BLOCK_HEADER = 32
EVENTS, DEFINITIONS, SESSION, INDEX = 1, 2, 4, 5
COLUMNS = {"tag": 0, "thread": 1, "time": 2, "ref": 5, "digest": 7}
NAME, PROCESS, THREAD, MODULE, FRAME, STACK, LOCATIONS, FILE = range(1, 9)
TENSOR, LOOK, ORIGIN, MATCH, MISMATCH, PACKED, HEAP_LOOK, ALIKE, JOINED = range(9, 18)


class Trace:
    """Bytes of a trace whose columns are stored as they are, and where its parts lie."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.blocks = {}
        at = FILE_HEADER
        while at + BLOCK_HEADER <= len(data):
            kind, _, extension, payload, _ = struct.unpack_from("<BBHII", data, at + 4)
            self.blocks[kind] = (at, at + BLOCK_HEADER, at + BLOCK_HEADER + extension, payload)
            at += BLOCK_HEADER + extension + payload

    def header(self, kind):
        return self.blocks[kind][0]

    def extension(self, kind):
        return self.blocks[kind][1]

    def payload(self, kind):
        return self.blocks[kind][2]

    def directory(self, column):
        """Where the two sizes of a column stand."""
        return self.payload(EVENTS) + 4 + 8 * COLUMNS[column]

    def column(self, column):
        """Where the bytes of a column begin."""
        payload = self.payload(EVENTS)
        count = struct.unpack_from("<I", self.data, payload)[0]
        sizes = [struct.unpack_from("<II", self.data, payload + 4 + 8 * i) for i in range(count)]
        for on_disk, unpacked in sizes:
            assert on_disk == unpacked, "the columns of this trace are packed"
        return payload + 4 + 8 * count + sum(size for size, _ in sizes[:COLUMNS[column]])

    def changed(self, at, replacement):
        data = bytearray(self.data)
        assert data[at:at + len(replacement)] != replacement
        data[at:at + len(replacement)] = replacement
        return bytes(data)


def wrong_traces(tiny):
    """{name: bytes}. Numbers in the extension are places in BlockSummary, of 8 bytes each (FORMAT.md)."""
    huge = b"\xff\xff\xff\xff"
    event_count, maximum_at_event = 2, 27
    tag = tiny.data[tiny.column("tag")]
    definitions = tiny.payload(DEFINITIONS)
    return {
        "column_beyond_the_payload": tiny.changed(tiny.directory("tag"), huge),
        "empty_column_beyond_the_payload": tiny.changed(tiny.directory("time"), huge + bytes(4)),
        "column_too_long": tiny.changed(tiny.directory("tag") + 4, huge),
        "column_is_no_zstd_frame": tiny.changed(tiny.directory("time") + 4, b"\x03"),
        "digest_beyond_the_payload": tiny.changed(tiny.directory("digest"), huge),
        "digest_too_long": tiny.changed(tiny.directory("digest") + 4, huge),
        "digest_larger_than_unpacked": tiny.changed(tiny.directory("digest") + 4, b"\x01"),
        "digest_is_no_zstd_frame": tiny.changed(tiny.directory("digest") + 4, b"\x06"),
        "too_few_columns": tiny.changed(tiny.payload(EVENTS), b"\x03"),
        "no_digest": tiny.changed(tiny.payload(EVENTS), b"\x07"),
        "unknown_kind": tiny.changed(tiny.column("tag"), bytes([tag & 0xE0 | 28])),
        "unknown_lane": tiny.changed(tiny.column("tag"), bytes([tag & 0x1F | 7 << 5])),
        "release_of_unknown_size": tiny.changed(tiny.column("tag") + 1, b"\x1e"),
        "reference_to_nothing": tiny.changed(tiny.column("ref"), b"\x7f"),
        "run_of_no_events": tiny.changed(tiny.column("thread"), b"\x00"),
        "unknown_thread": tiny.changed(tiny.column("thread") + 1, b"\x05"),
        "time_beyond_the_end": tiny.changed(tiny.column("time") + 1, b"\x7f"),
        "no_events_counted": tiny.changed(tiny.extension(EVENTS) + 8 * event_count, b"\x00"),
        "too_many_events_counted": tiny.changed(tiny.extension(EVENTS) + 8 * event_count, huge),
        "peak_outside_the_block": tiny.changed(tiny.extension(EVENTS) + 8 * maximum_at_event, b"\x09"),
        "stack_id_gap": tiny.changed(definitions + 8, b"\x7e"),
        "stack_above_itself": tiny.changed(definitions + 9, b"\x7f"),
        "session_not_json": tiny.changed(tiny.payload(SESSION), b"["),
        "unknown_block_type": tiny.changed(tiny.header(SESSION) + 4, b"\xc8"),
        "definitions_said_to_be_samples": tiny.changed(tiny.header(DEFINITIONS) + 4, b"\x03"),
        "index_of_too_many": tiny.changed(tiny.payload(INDEX), 2 * huge),
        "index_of_another_block": tiny.changed(tiny.payload(INDEX) + 17, b"\x20"),
        # Without an index all is found by going from block to block.
        "torn": bytes(tiny.data[:tiny.header(INDEX)]),
        # The trailer leads to an index that is not the last block.
        "bytes_behind_the_index": bytes(tiny.data) + bytes(tiny.data[-16:]),
        "cut_in_header": bytes(tiny.data[:tiny.header(EVENTS) + 16]),
        "cut_in_payload": bytes(tiny.data[:tiny.payload(EVENTS) + 40]),
        "not_a_trace": bytes(range(100)),
        "empty": b"",
    }


def varint(value):
    coded = bytearray()
    while value >= 0x80:
        coded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(coded) + bytes([value])


def entry(kind, *fields, skipped=0):
    """An entry of a definitions block, so many ids behind the one before it. Fields are numbers and strings."""
    rest = varint(2 * skipped) + b"".join(
        varint(field) if isinstance(field, int) else varint(len(field)) + field.encode() for field in fields)
    return varint(kind) + varint(len(rest)) + rest


def with_definitions(tiny, entries):
    """The tiny trace with more definitions, and without the index, which no longer leads to its blocks."""
    begin, payload = tiny.header(DEFINITIONS), tiny.payload(DEFINITIONS)
    size = tiny.blocks[DEFINITIONS][3]
    data = bytearray(tiny.data[:tiny.header(INDEX)])
    struct.pack_into("<II", data, begin + 8, size + len(entries), size + len(entries))
    data[payload + size:payload + size] = entries
    return bytes(data)


def defined_traces(tiny):
    """{name: bytes}. Each kind of definition, and what no reader may take as it is."""
    nothing, most = 99, 2**48 + 1
    reserved = {NAME: 1, MODULE: 1}  # Their first ids need no entry.
    file = entry(FILE, "/m", 4096, 0, "safetensors", 0)
    good = {
        NAME: ("load",),
        PROCESS: (101, 100, 1, 0, 0, "", "", *13 * [0]),
        THREAD: (0, 101, ""),
        MODULE: ("/lib/a.so", "c0ffee", 4096),
        FRAME: (0, 16),
        STACK: (1, 0),
        LOCATIONS: (1, "load", "load.cpp", 7),
        TENSOR: (0, "a", "f32", 256, 64, 1024, 8, *8 * [2], 2),  # The last: a field that no reader knows.
        LOOK: (0, 1000, 4096),
        ORIGIN: (0, 0, 0, 64, 1024, 1000),
        MATCH: (0, 0, 0, 64, "f32", 1000, 0, 0, 0),
        MISMATCH: (0, 1000),
        PACKED: (0, 0, 64, 0, 1000, 0, 0, "f32", "bf16"),
        HEAP_LOOK: (0, 1000, 4096, 1),
        ALIKE: (0, 0, 1000, 0, 0, "f32", "bf16", 1),
        JOINED: (0, 0, 64, 4096, 2, 1000, 0, 0),
    }
    wrong = {
        "process_of_no_parent": (PROCESS, 2, nothing),
        "thread_of_no_process": (THREAD, 0, nothing),
        "frame_of_no_module": (FRAME, 0, nothing),
        "stack_of_no_frame": (STACK, 1, nothing),
        "tensor_of_no_file": (TENSOR, 0, nothing),
        "tensor_of_no_elements": (TENSOR, 3, 0),
        "tensor_of_too_many_elements": (TENSOR, 3, most),
        "tensor_of_too_many_bytes": (TENSOR, 5, most),
        "tensor_of_too_many_dimensions": (TENSOR, 6, 9),
        "look_at_too_many_bytes": (LOOK, 2, most),
        "origin_of_no_file": (ORIGIN, 2, nothing),
        "origin_of_no_bytes": (ORIGIN, 4, 0),
        "origin_of_too_many_bytes": (ORIGIN, 4, most),
        "origin_too_far_inside": (ORIGIN, 1, most),
        "origin_too_far_in_the_file": (ORIGIN, 3, most),
        "match_of_no_file": (MATCH, 2, nothing),
        "match_too_far_inside": (MATCH, 1, most),
        "mismatch_of_no_block": (MISMATCH, 0, nothing),
        "packed_of_no_file": (PACKED, 1, nothing),
        "heap_look_at_no_process": (HEAP_LOOK, 0, nothing),
        "heap_look_at_too_many_bytes": (HEAP_LOOK, 2, most),
        "heap_look_at_too_many_blocks": (HEAP_LOOK, 3, most),
        "alike_of_no_block": (ALIKE, 1, nothing),
        "joined_of_no_block": (JOINED, 1, nothing),
        "joined_too_far_inside": (JOINED, 2, most),
        "joined_of_no_bytes": (JOINED, 3, 0),
        "joined_of_too_many_bytes": (JOINED, 3, most),
        "joined_of_no_rows": (JOINED, 4, 0),
    }
    entries = [entry(kind, *fields, skipped=reserved.get(kind, 0)) for kind, fields in good.items()]
    traces = {
        "every_definition": with_definitions(tiny, file + b"".join(entries)),
        "locations_of_no_frame": with_definitions(tiny, entry(LOCATIONS, *good[LOCATIONS], skipped=nothing)),
    }
    for name, (kind, field, value) in wrong.items():
        fields = list(good[kind])
        fields[field] = value
        traces[name] = with_definitions(tiny, file + entry(kind, *fields))
    return traces


def generated(generate_trace, *options):
    trace = CORPUS / "generated.tmk"
    subprocess.run([generate_trace, str(trace), *options], check=True, stdout=subprocess.DEVNULL)
    data = trace.read_bytes()
    trace.unlink()
    return data


def main():
    CORPUS.mkdir(exist_ok=True)
    for old in CORPUS.iterdir():
        old.unlink()
    tiny = Trace(TINY.read_bytes())
    files = {"tiny": bytes(tiny.data), **wrong_traces(tiny), **defined_traces(tiny)}
    files["many_kinds"] = generated(sys.argv[1], "--events", "60", "--threads", "2", "--big-blocks", "6",
                                    "--stacks", "20", "--touch-every", "5")
    for name, data in files.items():
        (CORPUS / name).write_bytes(data)


if __name__ == "__main__":
    main()
