"""PyTorch: a bfloat16 file held as float32 (transformers, issue 34743), against one kept as it is."""

from described import Side, System, main
from pytorch import TORCH

SYSTEM = System(
    "torch widened", "transformers: torch_dtype is the file's, no longer float32", TORCH,
    Side("torch 2.14.1, safetensors 0.8.0", "bfloat16 to float32", TORCH, ("widen", "{model}"), ("net.safetensors",)),
    Side("torch 2.14.1, safetensors 0.8.0", "kept bfloat16", TORCH, ("keep", "{model}"), ("net.safetensors",)),
    first="widened", times=(2, 1), links=(("huggingface/transformers", "issue", 34743),))


def make(folder):
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(1)
    save_file({f"layer{i}.weight": torch.randn(2048, 2048).bfloat16() for i in range(24)}, f"{folder}/net.safetensors")


def hold(state, dtype):
    held = {}
    for name, tensor in state.items():
        held[name] = tensor.to(dtype, copy=True)
    print(float(sum(tensor[0, 0] for tensor in held.values())))


def widen(folder):
    import torch
    from safetensors.torch import load_file

    hold(load_file(f"{folder}/net.safetensors"), torch.float32)


def keep(folder):
    import torch
    from safetensors.torch import load_file

    hold(load_file(f"{folder}/net.safetensors"), torch.bfloat16)


if __name__ == "__main__":
    main(globals())
