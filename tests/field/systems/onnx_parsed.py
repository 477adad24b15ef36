"""onnx: a model with its weights inside, read and parsed, or its graph alone with the weights in a file beside it."""

from described import Side, System, main
from safetensors_numpy import SMALL

SYSTEM = System(
    "onnx", "external data: the graph is parsed without the weights", SMALL,
    Side("onnx 1.23.2", "load", SMALL, ("load_whole", "{model}"), ("net.onnx",)),
    Side("onnx 1.23.2", "load(load_external_data=False)", SMALL, ("load_graph", "{model}"), ("outside.onnx", "outside.bin")),
    first="twice", times=(2, 0.11), foretells=False)


def make(folder):
    import onnxruntime_bytes

    onnxruntime_bytes.make(folder)


def load_whole(folder):
    import onnx

    print(len(onnx.load(f"{folder}/net.onnx").graph.initializer))


def load_graph(folder):
    import onnx

    print(len(onnx.load(f"{folder}/outside.onnx", load_external_data=False).graph.initializer))


if __name__ == "__main__":
    main(globals())
