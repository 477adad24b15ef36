"""safetensors (numpy): a file read as bytes and taken apart, against tensors fetched from the mapped file one by one."""

from described import Side, System, Venv, main

# What CI installs, too: less than 100 MB to fetch.
SMALL = Venv("small", "numpy==2.4.6 safetensors==0.8.0 onnx==1.23.2 onnxruntime==1.32.0 memray==1.20.0")
PYPI = Venv("pypi", "numpy==2.4.6 safetensors==0.8.0 onnx==1.23.2 onnxruntime==1.32.0 apache-tvm==0.27.0.post1 pyarrow==26.0.1 "
                    "openvino==2026.4.1 ai-edge-litert==2.3.0 memray==1.20.0")

SYSTEM = System(
    "safetensors", "load_file instead of load(file.read())", SMALL,
    Side("safetensors 0.8.0", "load(file.read())", SMALL, ("read_bytes", "{model}"), ("net.safetensors",)),
    Side("safetensors 0.8.0", "load_file", SMALL, ("load_file", "{model}"), ("net.safetensors",)),
    first="twice", times=(2, 1))


def make(folder):
    import numpy as np
    from safetensors.numpy import save_file

    rng = np.random.default_rng(1)
    save_file({f"layer{i}.weight": rng.random((2048, 2048), np.float32) for i in range(12)}, f"{folder}/net.safetensors")


def read_bytes(folder):
    from safetensors.numpy import load

    with open(f"{folder}/net.safetensors", "rb") as file:
        state = load(file.read())
    print(sum(float(tensor[0, 0]) for tensor in state.values()))


def load_file(folder):
    import safetensors.numpy

    state = safetensors.numpy.load_file(f"{folder}/net.safetensors")
    print(sum(float(tensor[0, 0]) for tensor in state.values()))


if __name__ == "__main__":
    main(globals())
