// Loads an ONNX model: `bytes FILE` or `path FILE`.
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import java.nio.file.Files;
import java.nio.file.Paths;

public class Load {
    public static void main(String[] words) throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession session = words[0].equals("bytes")
            ? environment.createSession(Files.readAllBytes(Paths.get(words[1])), new OrtSession.SessionOptions())
            : environment.createSession(words[1], new OrtSession.SessionOptions());
        System.out.println(session.getNumInputs());
    }
}
