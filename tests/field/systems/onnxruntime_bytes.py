"""onnxruntime: a session from bytes (issue 21992), from the file, and with its weights in a file beside it."""

from described import Side, System, main
from safetensors_numpy import SMALL

SYSTEM = System(
    "onnxruntime", "the weights in external data, the session from the path, without prepacking", SMALL,
    Side("onnxruntime 1.32.0", "session from bytes", SMALL, ("from_bytes", "{model}"), ("net.onnx",)),
    Side("onnxruntime 1.32.0", "external data", SMALL, ("from_path", "{model}"), ("outside.onnx", "outside.bin")),
    first="twice", times=(3.1, 0), foretells=False, links=(("microsoft/onnxruntime", "issue", 21992),))

LAYERS = 12


def make(folder):
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(1)
    weights = [numpy_helper.from_array(rng.standard_normal((2048, 2048), np.float32), f"w{i}") for i in range(LAYERS)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(LAYERS)]
    row = [1, 2048]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, row)],
                              [helper.make_tensor_value_info(f"x{LAYERS}", TensorProto.FLOAT, row)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, f"{folder}/net.onnx")
    onnx.save(model, f"{folder}/outside.onnx", save_as_external_data=True, location="outside.bin")


def run(session):
    import numpy as np

    print(float(session.run(None, {"x0": np.ones((1, 2048), np.float32)})[0].sum()))


def from_bytes(folder):
    import onnxruntime

    with open(f"{folder}/net.onnx", "rb") as file:
        content = file.read()
    run(onnxruntime.InferenceSession(content))


def from_path(folder):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_prepacking", "1")
    run(onnxruntime.InferenceSession(f"{folder}/outside.onnx", options))


if __name__ == "__main__":
    main(globals())
