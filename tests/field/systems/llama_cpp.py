"""llama.cpp, by node-llama-cpp: a GGUF read into buffers, or mapped (pull request 613)."""

import os
import subprocess
import sys

from described import Debian, Npm, Side, System, main

NODE = Npm("node-llama-cpp", "node-llama-cpp@3.22.1")

MALLOC = "malloc's heaps of node's threads held 22 MB where 10 MB were asked for"

SYSTEM = System(
    "llama.cpp", "613: mmap", Debian("python3"),
    Side("node-llama-cpp 3.22.1", "useMmap: false", NODE, ("false", "{model}/net.gguf"), ("net.gguf",), "llama_cpp.js",
         apart=(0.06, MALLOC)),
    Side("node-llama-cpp 3.22.1", "useMmap: true", NODE, ("true", "{model}/net.gguf"), ("net.gguf",), "llama_cpp.js",
         apart=(0.23, MALLOC)),
    first="", times=(1.06, 0), foretells=False, links=(("ggml-org/llama.cpp", "pull request", 613),),
    note="while the model loads, node's own memory grows by some MiB")


def make(folder):
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "make_gguf.py")
    subprocess.run([sys.executable, source, f"{folder}/net.gguf"], check=True)


if __name__ == "__main__":
    main(globals())
