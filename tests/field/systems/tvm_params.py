"""Apache TVM, pull request 14147: parameters from bytes that Python read, or from the file itself."""

from described import Side, System, main
from safetensors_numpy import PYPI

SYSTEM = System(
    "tvm params", "14147: load_param_dict_from_file", PYPI,
    Side("apache-tvm 0.27.0.post1", "load_param_dict(file.read())", PYPI, ("load_bytes", "{model}"), ("net.params",)),
    Side("apache-tvm 0.27.0.post1", "load_param_dict_from_file", PYPI, ("load_file", "{model}"), ("net.params",)),
    first="held", times=(4, 1), foretells=False, links=(("apache/tvm", "pull request", 14147),))


def make(folder):
    import numpy as np
    import tvm

    rng = np.random.default_rng(1)
    tvm.runtime.save_param_dict_to_file({f"layer{i}.weight": tvm.runtime.tensor(rng.random((2048, 2048), np.float32))
                                         for i in range(12)}, f"{folder}/net.params")


def load_bytes(folder):
    import tvm

    with open(f"{folder}/net.params", "rb") as file:
        print(len(tvm.runtime.load_param_dict(file.read())))


def load_file(folder):
    import tvm

    print(len(tvm.runtime.load_param_dict_from_file(f"{folder}/net.params")))


if __name__ == "__main__":
    main(globals())
