"""CTranslate2: a float16 model on a CPU that computes in float32, against one that was converted to int8."""

from described import Side, System, main
from opencv_dnn import MORE

SYSTEM = System(
    "ctranslate2", "a model in a type that the machine computes with", MORE,
    Side("ctranslate2 4.8.5", "float16 model", MORE, ("load", "{model}/before"), ("before/model.bin",)),
    Side("ctranslate2 4.8.5", "int8 model", MORE, ("load", "{model}/after"), ("after/model.bin",)),
    first="widened", times=(2.07, 1.19), foretells=False)

DEPTH, HEADS, WIDTH, INNER, WORDS = 6, 16, 1024, 2816, 16000


def save(folder, quantization):
    import os

    import ctranslate2
    import numpy as np
    from ctranslate2.specs import transformer_spec

    rng = np.random.default_rng(1)
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        DEPTH, HEADS, rms_norm=True, rotary_dim=0, ffn_glu=True, activation=ctranslate2.specs.Activation.SWISH)

    def matrix(rows, columns):
        return rng.standard_normal((rows, columns), np.float32) / 32

    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = matrix(WORDS, WIDTH)
    decoder.layer_norm.gamma = np.ones(WIDTH, np.float32)
    decoder.projection.weight = matrix(WORDS, WIDTH)
    for layer in decoder.layer:
        for norm in (layer.self_attention.layer_norm, layer.ffn.layer_norm):
            norm.gamma = np.ones(WIDTH, np.float32)
        layer.self_attention.linear[0].weight = matrix(3 * WIDTH, WIDTH)
        layer.self_attention.linear[1].weight = matrix(WIDTH, WIDTH)
        layer.ffn.linear_0.weight = matrix(INNER, WIDTH)
        layer.ffn.linear_0_noact.weight = matrix(INNER, WIDTH)
        layer.ffn.linear_1.weight = matrix(WIDTH, INNER)
    spec.register_vocabulary([f"<{i}>" for i in range(WORDS)])
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<0>", "<1>", "<2>"
    spec.validate()
    spec.optimize(quantization=quantization)
    os.makedirs(folder)
    spec.save(folder)


def make(folder):
    save(f"{folder}/before", "float16")
    save(f"{folder}/after", "int8")


def load(folder):
    import ctranslate2

    generator = ctranslate2.Generator(folder, device="cpu", intra_threads=1)
    print(generator.compute_type, generator.generate_batch([["<5>"]], max_length=2)[0].sequences_ids)


if __name__ == "__main__":
    main(globals())
