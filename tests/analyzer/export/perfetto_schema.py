"""Reads a trace with the schema that Perfetto's own package has, and prints what that understood as JSON.

    perfetto_schema.py FILE

Its trace_processor is no part of the package: that is fetched from elsewhere when it is first used.
"""

import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2


def unknown_fields(message, where="Trace"):
    yield from (f"{where}: {field.field_number}" for field in UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            several = value if hasattr(value, "__len__") else [value]
            for one in several:
                yield from unknown_fields(one, f"{where}.{field.name}")


def main():
    trace = perfetto_trace_pb2.Trace()
    with open(sys.argv[1], "rb") as file:
        trace.ParseFromString(file.read())
    tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
    profiles, highest, slices = [], {}, set()
    for packet in trace.packet:
        for dump in packet.profile_packet.process_dumps:
            size = sum(sample.self_allocated - sample.self_freed for sample in dump.samples)
            profiles.append({"heap": dump.heap_name, "at_ns": dump.timestamp, "bytes": size})
        event = packet.track_event
        if event.type == event.TYPE_COUNTER:
            name = tracks[event.track_uuid].name
            highest[name] = max(highest.get(name, 0), event.counter_value)
        elif event.type == event.TYPE_SLICE_BEGIN:
            slices.add(event.name)
    found = {"unknown_fields": list(unknown_fields(trace)), "profiles": profiles, "highest": highest, "slices": sorted(slices)}
    print(json.dumps(found))


main()
