// node llama_cpp.js true|false FILE: loads a GGUF with node-llama-cpp, mapped or not.
const path = require('path');
const [, , useMmap, modelPath] = process.argv;
const entry = path.join(process.env.NODE_PATH, 'node-llama-cpp', 'dist', 'index.js');
import(entry).then(async ({ getLlama }) => {
  const llama = await getLlama({ gpu: false, build: 'never' });
  const model = await llama.loadModel({ modelPath, useMmap: useMmap === 'true' });
  console.log(model.size);
  process.exit(0);
});
