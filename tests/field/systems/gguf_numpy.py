"""gguf (Python): tensors of q8_0 dequantised as they are loaded, or kept as they are in the file."""

from described import Side, System, main
from opencv_dnn import MORE

SYSTEM = System(
    "gguf", "kept quantised, dequantised at use", MORE,
    Side("gguf 0.19.0", "GGUFReader, dequantize all", MORE, ("dequantise", "{model}"), ("net.gguf",)),
    Side("gguf 0.19.0", "GGUFReader, kept as q8_0", MORE, ("keep", "{model}"), ("net.gguf",)),
    first="widened", times=(4.08, 1), foretells=False)

LAYERS, WIDTH = 16, 4096


def make(folder):
    import gguf
    import numpy as np

    rng = np.random.default_rng(1)
    writer = gguf.GGUFWriter(f"{folder}/net.gguf", "llama")
    kind = gguf.GGMLQuantizationType.Q8_0
    for i in range(LAYERS):
        weights = rng.standard_normal((1024 + 256 * (i % 4), WIDTH), np.float32)
        writer.add_tensor(f"blk.{i}.weight", gguf.quantize(weights, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def dequantise(folder):
    import gguf

    reader = gguf.GGUFReader(f"{folder}/net.gguf")
    state = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    print(float(sum(array[0, 0] for array in state.values())))


def keep(folder):
    import gguf

    reader = gguf.GGUFReader(f"{folder}/net.gguf")
    state = {tensor.name: (tensor.data.copy(), tensor.tensor_type) for tensor in reader.tensors}
    print(float(sum(gguf.dequantize(data[:1], kind)[0, 0] for data, kind in state.values())))


if __name__ == "__main__":
    main(globals())
