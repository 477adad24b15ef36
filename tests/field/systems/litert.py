"""LiteRT (TensorFlow Lite): an interpreter over bytes, over a mapped file, and XNNPACK's packed copy (its default delegate)."""

from described import Side, System, main
from safetensors_numpy import PYPI

SYSTEM = System(
    "litert", "model_path, which maps the file, instead of model_content; no delegate that packs", PYPI,
    Side("ai-edge-litert 2.3.0", "model_content, XNNPACK", PYPI, ("from_bytes", "{model}"), ("net.tflite",)),
    Side("ai-edge-litert 2.3.0", "model_path, no delegate", PYPI, ("from_path", "{model}"), ("net.tflite",)),
    first="twice", times=(2, 0), foretells=False)

WIDTH, LAYERS = 2048, 12


def make(folder):
    import flatbuffers
    import numpy as np
    from ai_edge_litert import schema_py_generated as schema

    rng = np.random.default_rng(1)

    def tensor(name, shape, buffer):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.buffer = name, shape, schema.TensorType.FLOAT32, buffer
        return made

    buffers = [schema.BufferT()]
    tensors = [tensor("x0", [1, WIDTH], 0)]
    operators = []
    for i in range(LAYERS):
        buffer = schema.BufferT()
        buffer.data = (rng.standard_normal(WIDTH * WIDTH, np.float32) / 64).view(np.uint8)
        buffers.append(buffer)
        tensors += [tensor(f"w{i}", [WIDTH, WIDTH], len(buffers) - 1), tensor(f"x{i + 1}", [1, WIDTH], 0)]
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = 0, [2 * i, 2 * i + 1, -1], [2 * i + 2]
        operator.builtinOptionsType = schema.BuiltinOptions.FullyConnectedOptions
        operator.builtinOptions = schema.FullyConnectedOptionsT()
        operators.append(operator)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.FULLY_CONNECTED
    code.version = 1
    graph = schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs, graph.operators = tensors, [0], [2 * LAYERS], operators
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], buffers
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    with open(f"{folder}/net.tflite", "wb") as file:
        file.write(builder.Output())


def run(interpreter):
    import numpy as np

    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.ones((1, WIDTH), np.float32))
    interpreter.invoke()
    print(float(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).sum()))


def from_bytes(folder):
    from ai_edge_litert.interpreter import Interpreter

    with open(f"{folder}/net.tflite", "rb") as file:
        content = file.read()
    run(Interpreter(model_content=content))


def from_path(folder):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    run(Interpreter(model_path=f"{folder}/net.tflite",
                    experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))


if __name__ == "__main__":
    main(globals())
