"""OpenVINO: an IR's weights read into memory, or mapped (ENABLE_MMAP, the default since 2023.1)."""

import sys

from described import Side, System, main
from safetensors_numpy import PYPI

SYSTEM = System(
    "openvino", "ENABLE_MMAP: the weights are mapped, no longer read", PYPI,
    Side("openvino 2026.4.1", "read_model, ENABLE_MMAP off", PYPI, ("read", "{model}"), ("net.bin",)),
    Side("openvino 2026.4.1", "read_model, mapped", PYPI, ("map_it", "{model}"), ("net.bin",)),
    first="", times=(1, 0), foretells=False)

LAYERS = 12


def make(folder):
    import numpy as np
    import openvino as ov
    from openvino import opset13 as ops

    rng = np.random.default_rng(1)
    x = y = ops.parameter([1, 2048], np.float32)
    for _ in range(LAYERS):
        y = ops.matmul(y, ops.constant(rng.standard_normal((2048, 2048), np.float32)), False, False)
    ov.save_model(ov.Model([y], [x], "net"), f"{folder}/net.xml", compress_to_fp16=False)


def load(folder, is_mapped):
    sys.modules["openvino_telemetry"] = None  # it sends from a process of its own, which is there or not at the peak
    import openvino as ov

    core = ov.Core()
    core.set_property({"ENABLE_MMAP": is_mapped})
    model = core.read_model(f"{folder}/net.xml")
    print(len(model.get_ops()))


def read(folder):
    load(folder, False)


def map_it(folder):
    load(folder, True)


if __name__ == "__main__":
    main(globals())
