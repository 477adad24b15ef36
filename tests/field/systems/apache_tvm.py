"""Apache TVM, pull request 13877: late-bound constants of a Relay VM executable, read as one string or streamed.

Upstream's wheels of 0.9 to 0.11 are no longer to be had. T-Head's builds of them are: their runtime is upstream's,
0.9.dev0 from before the request (February 2023) and 0.16.dev0 from after it.
"""

from described import Side, System, Venv, main

COMMON = "'numpy<1.24' tqdm==4.67.1 tflite==2.10.0"
BEFORE = Venv("tvm-0.9", f"hhb-tvm==2.4.5 {COMMON}", ("3.10", "3.8"))
AFTER = Venv("tvm-0.16", f"hhb-tvm==3.2.3 {COMMON}", ("3.10", "3.8"))
LAYERS = 60

SYSTEM = System(
    "tvm", "13877: a stream of the file instead of a string of it", None,
    Side("hhb-tvm 2.4.5 (TVM 0.9.dev0)", "load_late_bound_consts", BEFORE, ("load", "{model}/before"), ("before/consts.bin",)),
    Side("hhb-tvm 3.2.3 (TVM 0.16.dev0)", "load_late_bound_consts", AFTER, ("load", "{model}/after"), ("after/consts.bin",)),
    first="twice", times=(2, 1), links=(("apache/tvm", "pull request", 13877),))


def make(folder):
    import os

    import numpy as np
    import tvm
    from tvm import relay

    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(1)
    x = relay.var("x", shape=(1, 1024), dtype="float32")
    y = x
    for _ in range(LAYERS):
        y = relay.nn.dense(y, relay.const(rng.standard_normal((1024, 1024), dtype=np.float32)))
    executable = relay.vm.compile(tvm.IRModule.from_expr(relay.Function([x], y)), "llvm")
    executable.move_late_bound_consts(f"{folder}/consts.bin", 1024)
    with open(f"{folder}/code.ro", "wb") as file:
        file.write(executable.save()[0])


def load(folder):
    from tvm.runtime import vm

    with open(f"{folder}/code.ro", "rb") as file:
        executable = vm.Executable.load_exec(bytearray(file.read()), None)
    executable.load_late_bound_consts(f"{folder}/consts.bin")


if __name__ == "__main__":
    main(globals())
