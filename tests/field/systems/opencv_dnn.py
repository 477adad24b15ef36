"""OpenCV's dnn: an ONNX model read through an ifstream, its matrices packed by the first run, the blobs kept beside."""

from described import Side, System, Venv, main
from safetensors_numpy import PYPI

MORE = Venv("more", "numpy==2.4.6 opencv-python-headless==5.0.0.93 ctranslate2==4.8.5 gguf==0.19.0")

SYSTEM = System(
    "opencv", "no release has it once: what the packed weights were made from stays", PYPI,
    Side("opencv 5.0.0.93", "readNetFromONNX, forward", MORE, ("load", "{model}"), ("net.onnx",)),
    first="twice", times=(2,), foretells=False)


def make(folder):
    import onnxruntime_bytes

    onnxruntime_bytes.make(folder)


def load(folder):
    import cv2
    import numpy as np

    net = cv2.dnn.readNetFromONNX(f"{folder}/net.onnx")
    for _ in range(20):  # as a program that answers more than one question
        net.setInput(np.ones((1, 2048), np.float32))
        out = net.forward()
    print(float(out.sum()))


if __name__ == "__main__":
    main(globals())
