"""burn, pull request 1751, with a network that is small enough for its traces to be kept: one block a layer."""

from burn import AFTER, BEFORE, SYSTEM as WHOLE
from described import Debian, Side, System, main

COUNTS = (1, 1, 1, 1)
WORDS = ("{model}/net.pt", *map(str, COUNTS))

SYSTEM = System(
    "burn small", WHOLE.upstream, Debian("python3-torch"),
    Side("burn 0.13.2", "PyTorchFileRecorder", BEFORE, WORDS, ("net.pt",)),
    Side("burn 0.14.0", "PyTorchFileRecorder", AFTER, WORDS, ("net.pt",),
         apart=(0.25, "holes in malloc's heap for the last 17 ms: the break was at 64.2 MiB for 54.5")),
    first="widened", times=(17.9, 1.42), foretells=False, links=WHOLE.links)


def make(folder):
    import burn

    burn.save(folder, COUNTS)


if __name__ == "__main__":
    main(globals())
