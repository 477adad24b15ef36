"""PyTorch: a module with its own weights, then a state_dict beside it, then a copy (issue 123334); from 2.1 on torch.load maps
and load_state_dict assigns."""

from described import Side, System, Venv, main

TORCH = Venv("torch", "torch==2.14.1 numpy==2.4.6 safetensors==0.8.0 executorch==1.5.1 transformers==5.23.0")

SYSTEM = System(
    "pytorch", "2.1: torch.load(mmap=True), load_state_dict(assign=True)", TORCH,
    Side("torch 2.14.1", "load, load_state_dict", TORCH, ("load_and_copy", "{model}"), ("net.pt",)),
    Side("torch 2.14.1", "meta, mmap, assign", TORCH, ("map_and_assign", "{model}"), ("net.pt",)),
    first="twice", times=(1, 0), foretells=False)

WIDTH = 2048
LAYERS = 15


def network():
    import torch

    return torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])


def make(folder):
    import torch

    torch.manual_seed(1)
    torch.save(network().state_dict(), f"{folder}/net.pt")


def load_and_copy(folder):
    import torch

    net = network()
    state = torch.load(f"{folder}/net.pt", weights_only=True)
    net.load_state_dict(state)
    print(float(net[0].weight[0, 0]))


def map_and_assign(folder):
    import torch

    with torch.device("meta"):
        net = network()
    net.load_state_dict(torch.load(f"{folder}/net.pt", weights_only=True, mmap=True), assign=True)
    print(float(sum(parameter.sum() for parameter in net.parameters())))


if __name__ == "__main__":
    main(globals())
