"""transformers: a checkpoint kept in bfloat16, loaded by the library's defaults of version 4 and of version 5.

Until version 5 from_pretrained made the weights up first (low_cpu_mem_usage=False) and in float32, whatever the file had.
"""

from described import Overlay, Side, System, main
from pytorch import TORCH

VERSION_4 = Overlay("transformers-4", TORCH, "transformers==4.46.3")

SYSTEM = System(
    "transformers", "5.0: dtype='auto' and weights that are never made up are the default", TORCH,
    Side("transformers 4.46.3", "from_pretrained", VERSION_4, ("load", "{model}"), ("model.safetensors",)),
    Side("transformers 5.23.0", "from_pretrained", TORCH, ("load", "{model}"), ("model.safetensors",)),
    first="widened", times=(2, 0), foretells=False,
    links=(("huggingface/transformers", "issue", 34743), ("huggingface/transformers", "pull request", 42805)))


def make(folder):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    config = LlamaConfig(vocab_size=16384, hidden_size=1024, intermediate_size=2816, num_hidden_layers=5,
                         num_attention_heads=16, num_key_value_heads=16)
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


def load(folder):
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder)
    print(model.dtype, sum(parameter.numel() for parameter in model.parameters()))


if __name__ == "__main__":
    main(globals())
