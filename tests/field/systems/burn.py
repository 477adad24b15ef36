"""burn, pull request 1751: a PyTorch file through a tree with one value of 56 bytes for each number of it."""

from described import Crate, Debian, Side, System, main

# What these releases ask for has changed since in ways that no longer build with them.
OLD = 'bincode = "=2.0.0-rc.3"\nhalf = "=2.4.1"'


def crates(version):
    return (f'burn = {{ version = "={version}", default-features = false, features = ["std", "ndarray"] }}\n'
            f'burn-import = {{ version = "={version}", default-features = false, features = ["pytorch"] }}\n{OLD}')


BEFORE = Crate("burn-0.13.2", crates("0.13.2"), "burn.rs")
AFTER = Crate("burn-0.14.0", crates("0.14.0"), "burn.rs")

SYSTEM = System(
    "burn", "1751 and 1944: tensors stay bytes", Debian("python3-torch"),
    Side("burn 0.13.2", "PyTorchFileRecorder", BEFORE, ("{model}/net.pt",), ("net.pt",)),
    Side("burn 0.14.0", "PyTorchFileRecorder", AFTER, ("{model}/net.pt",), ("net.pt",),
         apart=(0.07, "holes in malloc's heap: the break was at 255 MiB for 247")),
    first="widened", times=(19.3, 1.1), foretells=False,
    links=(("tracel-ai/burn", "pull request", 1751), ("tracel-ai/burn", "pull request", 1944)))


def make(folder):
    save(folder, (3, 8, 36, 3))


def save(folder, counts):
    """A ResNet's state_dict, with torchvision's names."""
    import torch

    torch.manual_seed(1)
    state = {}

    def norm(name, width):
        for part, fill in (("weight", 1.0), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0)):
            state[f"{name}.{part}"] = torch.full((width,), fill)
        state[f"{name}.num_batches_tracked"] = torch.tensor(1)

    def conv(name, channels, width, size):
        state[f"{name}.weight"] = torch.randn(width, channels, size, size)

    conv("conv1", 3, 64, 7)
    norm("bn1", 64)
    channels = 64
    for layer, (width, count) in enumerate(zip((64, 128, 256, 512), counts), 1):
        for i in range(count):
            block = f"layer{layer}.{i}"
            conv(f"{block}.conv1", channels, width, 1)
            norm(f"{block}.bn1", width)
            conv(f"{block}.conv2", width, width, 3)
            norm(f"{block}.bn2", width)
            conv(f"{block}.conv3", width, 4 * width, 1)
            norm(f"{block}.bn3", 4 * width)
            if i == 0:
                conv(f"{block}.downsample.0", channels, 4 * width, 1)
                norm(f"{block}.downsample.1", 4 * width)
            channels = 4 * width
    state["fc.weight"] = torch.randn(1000, 2048)
    state["fc.bias"] = torch.randn(1000)
    torch.save(state, f"{folder}/net.pt")


if __name__ == "__main__":
    main(globals())
