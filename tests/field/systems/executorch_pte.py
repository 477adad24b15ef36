"""ExecuTorch: a program from a buffer or from its file, its weights packed by XNNPACK or used where they are."""

from described import Side, System, main
from pytorch import TORCH

SYSTEM = System(
    "executorch", "the path instead of a buffer: segments come from the file one by one, and go once packed", TORCH,
    Side("executorch 1.5.1", "XNNPACK, from a buffer", TORCH, ("from_buffer", "{model}"), ("net.pte",)),
    Side("executorch 1.5.1", "XNNPACK, from its path", TORCH, ("from_path", "{model}"), ("net.pte",)),
    first="twice", times=(2, 1), foretells=False)

WIDTHS = (2048, 3072, 1536, 2560, 1024, 2048, 3072, 1536, 2560, 1024, 2048, 3072, 1536)


def make(folder):
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    torch.manual_seed(1)
    net = torch.nn.Sequential(*[torch.nn.Linear(*pair) for pair in zip(WIDTHS, WIDTHS[1:])]).eval()
    exported = torch.export.export(net, (torch.ones(1, WIDTHS[0]),))
    program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
    with open(f"{folder}/net.pte", "wb") as file:
        program.write_to_file(file)


def run(module):
    import torch

    print(float(module.forward([torch.ones(1, WIDTHS[0])])[0].sum()))


def from_buffer(folder):
    from executorch.extension.pybindings import portable_lib

    with open(f"{folder}/net.pte", "rb") as file:
        content = file.read()  # which the module does not keep
    run(portable_lib._load_for_executorch_from_buffer(content))


def from_path(folder):
    from executorch.extension.pybindings import portable_lib

    run(portable_lib._load_for_executorch(f"{folder}/net.pte"))


if __name__ == "__main__":
    main(globals())
