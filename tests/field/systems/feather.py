"""pyarrow: an uncompressed Arrow file read, against mapped."""

from described import Side, System, main
from safetensors_numpy import PYPI

SYSTEM = System(
    "pyarrow", "memory_map=True", PYPI,
    Side("pyarrow 26.0.1", "read_table, to_numpy", PYPI, ("read", "{model}"), ("net.arrow",)),
    Side("pyarrow 26.0.1", "mapped", PYPI, ("map_it", "{model}"), ("net.arrow",)),
    first="", times=(1.13, 0), foretells=False, is_model_told=True)


def make(folder):
    import numpy as np
    import pyarrow
    from pyarrow import feather

    rng = np.random.default_rng(1)
    table = pyarrow.table({f"layer{i}": rng.random(4 << 20, np.float32) for i in range(12)})
    feather.write_feather(table, f"{folder}/net.arrow", compression="uncompressed")


def read(folder):
    from pyarrow import feather

    table = feather.read_table(f"{folder}/net.arrow", memory_map=False)
    print(table.num_rows, float(table.column(0)[0].as_py()))


def map_it(folder):
    from pyarrow import feather

    table = feather.read_table(f"{folder}/net.arrow", memory_map=True)
    print(table.num_rows, float(table.column(0)[0].as_py()))


if __name__ == "__main__":
    main(globals())
