"""onnxruntime for Java: a session from a byte[], which the JVM copies for native code, or from the file."""

from described import Maven, Side, System, main
from safetensors_numpy import PYPI

JAVA = Maven("onnxruntime-java", "com.microsoft.onnxruntime:onnxruntime:1.20.0", "onnxruntime_java.java")

SYSTEM = System(
    "java", "createSession(path) instead of createSession(byte[])", PYPI,
    Side("onnxruntime 1.20.0", "Files.readAllBytes, createSession", JAVA, ("bytes", "{model}/net.onnx"), ("net.onnx",)),
    Side("onnxruntime 1.20.0", "createSession(path)", JAVA, ("path", "{model}/net.onnx"), ("net.onnx",)),
    first="twice", times=(5.5, 2.5), foretells=False)


def make(folder):
    import onnxruntime_bytes

    onnxruntime_bytes.make(folder)


if __name__ == "__main__":
    main(globals())
