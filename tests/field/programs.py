"""Programs that nobody here wrote: how to get each, its version, what it does to be measured.

{home} is the folder of the installed npm and PyPI packages, {work} the one that the programs run in; both end up as
absolute paths. `prepare` is run once, neither watched nor recorded.
"""

from dataclasses import dataclass, field

DEBIAN = ("python3-torch python3-numpy python3-h5py python3-onnx python3-opencv python3-sklearn python3-pandas "
          "python3-scipy r-base-core redis-server default-jre-headless chromium git g++ perl ruby lua5.4 sqlite3 "
          "postgresql ffmpeg imagemagick ghostscript clang php-cli ocaml-nox erlang-base ghc guile-3.0 maxima "
          "gnuplot-nox octave rustc nodejs sbcl luajit zstd xz-utils p7zip-full pigz jq pandoc librsvg2-bin inkscape "
          "graphviz tesseract-ocr espeak-ng sox qemu-utils golang-go memcached nginx-light curl")
NPM = ("onnxruntime-node @duckdb/node-api sharp bun deno nodejs-polars usearch @tensorflow/tfjs node-llama-cpp "
       "nodejs-polars-linux-x64-gnu typescript@5.6")
PYPI = ("numpy polars duckdb pyarrow faiss-cpu gensim safetensors onnxruntime tokenizers lightgbm ")


@dataclass
class Program:
    name: str
    command: list
    version: list
    prepare: str = ""
    timeout_s: int = 120
    needs: str = ""  # a path: without it the program is left out
    model: bool = False  # whether it loads one, so that there is a W
    environment: dict = field(default_factory=dict)


DEBIAN_PYTHON = "/usr/bin/python3"
PYTHON = "{home}/venv/bin/python"
NODE = "/usr/bin/node"


def python(name, module, code, prepare="", model=False, interpreter=DEBIAN_PYTHON, version=None):
    says = f"import {version or module} as m; print(m.__version__)"
    return Program(name, [interpreter, "-c", code], [interpreter, "-c", says], prepare=prepare, model=model)


def pypi(name, module, code, **more):
    return python(name, module, code, interpreter=PYTHON, **more)


def node(name, package, code, model=False, prepare=""):
    says = (f"console.log(JSON.parse(require('fs').readFileSync("
            f"'{{home}}/npm/node_modules/{package}/package.json')).version)")
    return Program(name, [NODE, "-e", code], [NODE, "-e", says], needs=f"{{home}}/npm/node_modules/{package}",
                   prepare=prepare, model=model, environment={"NODE_PATH": "{home}/npm/node_modules"})


MAKE_TORCH = ("test -e {work}/net.pt || /usr/bin/python3 -c \"import torch\n"
              "torch.save({str(i): torch.randn(1000, 1000) for i in range(60)}, '{work}/net.pt')\"")
MAKE_ONNX = ("test -e {work}/net.onnx || /usr/bin/python3 -c \"import numpy as np, onnx\n"
             "from onnx import helper as h, TensorProto as t, numpy_helper as n\n"
             "w = [n.from_array(np.random.rand(1024, 1024).astype('f'), 'w%d' % i) for i in range(25)]\n"
             "g = h.make_graph([h.make_node('MatMul', ['x%d' % i, 'w%d' % i], ['x%d' % (i + 1)]) for i in range(25)], 'g',\n"
             "  [h.make_tensor_value_info('x0', t.FLOAT, [1, 1024])], [h.make_tensor_value_info('x25', t.FLOAT, [1, 1024])], w)\n"
             "m = h.make_model(g, opset_imports=[h.make_opsetid('', 13)]); m.ir_version = 8\n"
             "onnx.save(m, '{work}/net.onnx')\"")
MAKE_CSV = ("test -e {work}/rows.csv || /usr/bin/python3 -c \"import random\n"
            "random.seed(1); f = open('{work}/rows.csv', 'w'); f.write('a,b,c,name\\n')\n"
            "[f.write('%d,%f,%f,row%d\\n' % (i, random.random(), random.random(), i % 1000)) for i in range(1000000)]\"")
MAKE_CPP = ("cat > {work}/big.cpp <<'END'\n#include <map>\n#include <regex>\n#include <string>\n#include <iostream>\n"
            "#include <functional>\n#include <unordered_map>\n"
            "int main() { std::map<std::string, std::function<int(int)>> m; std::regex r(\"a+b\"); "
            "std::unordered_map<std::string, std::smatch> n; for (auto& [k, v] : m) std::cout << k << v(1); "
            "return std::regex_match(\"aab\", r) + n.size(); }\nEND")
MAKE_IMAGE = "test -e {work}/photo.png || convert -size 3000x2000 plasma:fractal {work}/photo.png"
MAKE_GGUF = ("test -e {work}/net.gguf || /usr/bin/python3 {source}/make_gguf.py {work}/net.gguf")

MAKE_TAR = "test -e {work}/in.tar || tar cf {work}/in.tar -C /usr/lib/python3 dist-packages/numpy"
MAKE_JSON = ("test -e {work}/rows.json || /usr/bin/python3 -c \"import json, random; random.seed(3); "
             "json.dump([{'a': i, 'b': str(random.random()), 'c': [i, {'d': None}]} for i in range(300000)], open('{work}/rows.json', 'w'))\"")
MAKE_SVG = ("test -e {work}/dots.svg || /usr/bin/python3 -c \"f = open('{work}/dots.svg', 'w')\n"
            "f.write('<svg xmlns=\\\"http://www.w3.org/2000/svg\\\" width=\\\"500\\\" height=\\\"500\\\">' + ''.join("
            "'<circle cx=\\\"%d\\\" cy=\\\"%d\\\" r=\\\"9\\\" fill=\\\"#%06x\\\"/>' % (i * 7 % 500, i * 13 % 500, i * 9999 % (1 << 24)) "
            "for i in range(3000)) + '</svg>')\"")
MAKE_TEXT = ("test -e {work}/text.png || convert -size 2400x3000 xc:white -pointsize 40 -fill black -annotate +60+80 "
             "\"$(for i in $(seq 55); do echo \"the quick brown fox jumps over $i lazy dogs\"; done)\" {work}/text.png")

PROGRAMS = [
    # PyTorch and its kin: loaders of models.
    python("torch load", "torch", "import torch; d = torch.load('{work}/net.pt'); e = {k: v.clone() for k, v in d.items()}; "
           "print(sum(float(v.sum()) for v in e.values()))", prepare=MAKE_TORCH, model=True),
    python("torch train", "torch", "import torch\nm = torch.nn.Sequential(*[torch.nn.Linear(1500, 1500) for _ in range(6)])\n"
           "o = torch.optim.Adam(m.parameters())\nfor _ in range(3):\n  o.zero_grad(); m(torch.randn(64, 1500)).sum().backward(); o.step()"),
    python("numpy", "numpy", "import numpy as np; a = np.random.rand(2000, 2000); print((a @ a).sum(), np.linalg.svd(a[:500, :500])[1][0])"),
    python("h5py", "h5py", "import h5py, numpy as np\nf = h5py.File('{work}/a.h5', 'w'); f['x'] = np.random.rand(4000, 2000); f.close()\n"
           "print(h5py.File('{work}/a.h5')['x'][:].sum())"),
    python("onnx", "onnx", "import onnx; m = onnx.load('{work}/net.onnx'); print(len(m.SerializeToString()))", prepare=MAKE_ONNX, model=True),
    python("opencv", "cv2", "import cv2; i = cv2.imread('{work}/photo.png'); print(cv2.GaussianBlur(cv2.resize(i, None, fx=2, fy=2), (9, 9), 0).mean())", prepare=MAKE_IMAGE),
    python("scikit-learn", "sklearn", "from sklearn.ensemble import RandomForestClassifier as R; import numpy as np\n"
           "x = np.random.rand(20000, 40); print(R(30).fit(x, x[:, 0] > .5).score(x, x[:, 0] > .5))"),
    python("pandas", "pandas", "import pandas as pd; d = pd.read_csv('{work}/rows.csv'); print(d.groupby('name').mean().shape)", prepare=MAKE_CSV),
    python("scipy", "scipy", "import scipy.sparse as s, scipy.sparse.linalg as l; a = s.random(6000, 6000, 2e-2, format='csr') + s.eye(6000); print(l.svds(a, 3)[1])"),
    pypi("polars", "polars", "import polars as pl; d = pl.read_csv('{work}/rows.csv'); print(d.group_by('name').agg(pl.col('b').mean()).shape)", prepare=MAKE_CSV),
    pypi("duckdb", "duckdb", "import duckdb; print(duckdb.sql(\"select name, avg(b) from '{work}/rows.csv' group by name\").fetchall()[0])", prepare=MAKE_CSV),
    pypi("pyarrow", "pyarrow", "import pyarrow.csv as c, pyarrow.parquet as p; t = c.read_csv('{work}/rows.csv'); p.write_table(t, '{work}/t.parquet'); print(p.read_table('{work}/t.parquet').num_rows)", prepare=MAKE_CSV),
    pypi("faiss", "faiss", "import faiss, numpy as np; x = np.random.rand(60000, 128).astype('f'); i = faiss.index_factory(128, 'IVF100,Flat'); i.train(x); i.add(x); print(i.search(x[:5], 3)[1])"),
    pypi("gensim", "gensim", "from gensim.models import Word2Vec as W; import random; s = [[str(random.randrange(20000)) for _ in range(20)] for _ in range(10000)]; W(s, vector_size=200, min_count=1, epochs=1)"),
    pypi("safetensors", "safetensors", "from safetensors.numpy import load_file; print(sum(v.sum() for v in load_file('{work}/net.safetensors').values()))", model=True,
         prepare="test -e {work}/net.safetensors || {home}/venv/bin/python -c \"import numpy as np; from safetensors.numpy import save_file; "
                 "save_file({str(i): np.random.rand(1000, 1000).astype('f') for i in range(50)}, '{work}/net.safetensors')\""),
    pypi("onnxruntime", "onnxruntime", "import onnxruntime as o, numpy as np; s = o.InferenceSession('{work}/net.onnx'); print(s.run(None, {'x0': np.ones((1, 1024), 'f')})[0].sum())", prepare=MAKE_ONNX, model=True),
    pypi("tokenizers", "tokenizers", "from tokenizers import Tokenizer, models, trainers, pre_tokenizers as p; import random; t = Tokenizer(models.BPE()); t.pre_tokenizer = p.Whitespace(); "
         "t.train_from_iterator((' '.join('%x' % random.randrange(1 << 24) for _ in range(100)) for _ in range(3000)), trainers.BpeTrainer(vocab_size=5000, show_progress=False))"),
    pypi("lightgbm", "lightgbm", "import lightgbm as l, numpy as np; x = np.random.rand(100000, 50); l.train({'verbose': -1}, l.Dataset(x, x[:, 0]), 20)"),
    Program("r", ["R", "--vanilla", "-q", "-e", "x <- matrix(rnorm(4e6), 2000); print(sum(solve(x[1:800,1:800])))"], ["R", "--version"]),
    Program("octave", ["octave-cli", "--no-gui", "--eval", "x = rand(2000); disp(sum(sum(x*x)))"], ["octave-cli", "--version"], needs="/usr/bin/octave-cli"),
    Program("redis", ["sh", "-c", "redis-server --enable-debug-command yes --port 0 --unixsocket {work}/redis.sock --save '' --daemonize no & "
                      "timeout 10 sh -c 'until [ -S {work}/redis.sock ]; do sleep 0.05; done' || { kill $!; exit 1; }; "
                      "redis-cli -s {work}/redis.sock debug populate 500000 key 100; redis-cli -s {work}/redis.sock shutdown nosave; wait"], ["redis-server", "--version"]),
    Program("java", ["java", "-Xmx512m", "-cp", "{work}", "{work}/Rows.java"], ["java", "-version"],
            prepare="cat > {work}/Rows.java <<'END'\nimport java.util.*;\npublic class Rows { public static void main(String[] a) { Map<Integer, byte[]> m = new HashMap<>(); "
                    "for (int i = 0; i < 200; i++) m.put(i, new byte[1 << 20]); System.out.println(m.size()); } }\nEND"),
    Program("node", [NODE, "-e", "const m = new Map(); for (let i = 0; i < 1e6; i++) m.set('k' + i, { i }); console.log(m.size, Buffer.alloc(64 << 20, 1)[5])"], [NODE, "--version"]),
    Program("chromium", ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom", "file://{work}/page.html"], ["chromium", "--version"],
            prepare="echo '<html><body><script>let a=[];for(let i=0;i<3e5;i++)a.push({i:i,s:\"x\"+i});document.body.textContent=a.length</script></body></html>' > {work}/page.html"),
    Program("git repack", ["git", "-C", "{work}/repository", "-c", "pack.threads=2", "repack", "-adfq"], ["git", "--version"],
            prepare="test -d {work}/repository || { git init -q {work}/repository && cd {work}/repository && cp -r /usr/include /usr/share/perl /usr/lib/python3/dist-packages . && git add -A >/dev/null && git -c gc.auto=0 -c user.name=a -c user.email=a@b commit -qm a && git gc -q; }"),
    Program("git log", ["git", "-C", "{work}/repository", "log", "-p", "--stat"], ["git", "--version"]),
    Program("g++", ["g++", "-O2", "-c", "-o", "{work}/big.o", "{work}/big.cpp"], ["g++", "--version"], prepare=MAKE_CPP),
    Program("clang", ["clang++-14", "-O2", "-c", "-o", "{work}/big.clang.o", "{work}/big.cpp"], ["clang++-14", "--version"], prepare=MAKE_CPP),
    Program("rustc", ["/usr/bin/rustc", "-O", "--crate-type", "lib", "--emit", "obj", "-o", "{work}/big.rust.o", "{work}/big.rs"], ["/usr/bin/rustc", "--version"],
            prepare="/usr/bin/python3 -c \"print('use std::collections::*;'); [print('pub fn f%d(x: &mut BTreeMap<String, Vec<[u8; %d]>>) -> usize { x.entry(x.len().to_string()).or_default().push([1; %d]); x.values().map(|v| v.len()).sum() }' % (i, i + 1, i + 1)) for i in range(60)]\" > {work}/big.rs"),
    Program("perl", ["perl", "-e", "my %h; $h{$_} = 'x' x ($_ % 50) for 1..600000; print scalar(keys %h)"], ["perl", "-e", "print $^V"]),
    Program("ruby", ["ruby", "-e", "h = {}; 500000.times { |i| h[i] = 'x' * (i % 60) }; puts h.size"], ["ruby", "--version"]),
    Program("lua", ["lua5.4", "-e", "local t = {} for i = 1, 2000000 do t[i] = { i } end print(#t)"], ["lua5.4", "-v"]),
    Program("luajit", ["luajit", "-e", "local t = {} for i = 1, 2000000 do t[i] = { i, tostring(i) } end print(#t)"], ["luajit", "-v"]),
    Program("sbcl", ["sbcl", "--noinform", "--non-interactive", "--eval", "(progn (defparameter *l* (loop for i below 2000000 collect (cons i (* i 2)))) (print (length *l*)))"], ["sbcl", "--version"]),
    Program("php", ["php", "-d", "memory_limit=1G", "-r", "$a = []; for ($i = 0; $i < 500000; $i++) $a[] = str_repeat('x', $i % 60) . $i; echo count($a);"], ["php", "--version"]),
    Program("guile", ["guile", "-c", "(display (length (let loop ((i 0) (l '())) (if (= i 3000000) l (loop (+ i 1) (cons i l))))))"], ["guile", "--version"],
            environment={"GUILE_AUTO_COMPILE": "0"}),
    Program("ocaml", ["ocaml", "{work}/list.ml"], ["ocaml", "-version"], prepare="echo 'let l = List.init 3000000 (fun i -> (i, string_of_int i)) in print_int (List.length l)' > {work}/list.ml"),
    Program("erlang", ["erl", "-noshell", "-eval", "L = lists:seq(1, 3000000), T = ets:new(t, []), [ets:insert(T, {I, I}) || I <- lists:seq(1, 200000)], io:format(\"~p~n\", [length(L)]), halt()."], ["erl", "-noshell", "-eval", "io:format(erlang:system_info(otp_release)), halt()."]),
    Program("ghc", ["ghc", "-O0", "-fforce-recomp", "-c", "{work}/Main.hs"], ["ghc", "--version"], prepare="echo 'module Main where\nimport qualified Data.Map as M\nmain = print (M.size (M.fromList [(i, show i) | i <- [1 .. 100000 :: Int]]))' > {work}/Main.hs"),
    Program("maxima", ["maxima", "--very-quiet", "--batch-string=length(expand((a+b+c+d)^20));"], ["maxima", "--version"], needs="/usr/bin/maxima"),
    Program("gnuplot", ["gnuplot", "-e", "set term pngcairo size 6000,6000; set output '{work}/plot.png'; set isosamples 500; splot sin(x)*cos(y)"], ["gnuplot", "--version"], needs="/usr/bin/gnuplot"),
    Program("sqlite", ["sqlite3", ":memory:", "create table t as with recursive c(i) as (select 1 union all select i + 1 from c where i < 1000000) select i, 'row' || i as s from c; create index x on t(s); select count(*) from t;"], ["sqlite3", "--version"]),
    Program("postgres", ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "sh", "-c",
                         "echo \"select count(*), max(md5(i::text)) from generate_series(1, 500000) i; create temp table t as select i, md5(i::text) from generate_series(1, 300000) i; select count(*) from t\" "
                         "| $(ls -d /usr/lib/postgresql/*/bin)/postgres --single -D {work}/pg postgres"], ["sh", "-c", "/usr/lib/postgresql/*/bin/postgres --version"],
            prepare="test -d {work}/pg || { mkdir -p {work}/pg && chown postgres {work}/pg && setpriv --reuid=postgres --regid=postgres --clear-groups sh -c 'cd / && /usr/lib/postgresql/*/bin/initdb -D {work}/pg'; }"),
    Program("ffmpeg", ["ffmpeg", "-y", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=1280x720:rate=25:duration=3", "-c:v", "libx264", "{work}/out.mp4"], ["ffmpeg", "-version"]),
    Program("imagemagick", ["convert", "{work}/photo.png", "-blur", "0x3", "-resize", "150%", "{work}/blur.jpg"], ["convert", "--version"], prepare=MAKE_IMAGE),
    Program("ghostscript", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=png16m", "-r1200", "-sOutputFile={work}/page.png", "{work}/page.pdf"], ["gs", "--version"],
            prepare="printf '%%!PS\\n/Times-Roman findfont 40 scalefont setfont 1 1 300 { /i exch def i 2 mul i moveto (hello) show } for showpage' > {work}/page.ps; "
                    "gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile={work}/page.pdf {work}/page.ps"),
    # What machines have anyway.
    Program("zstd", ["zstd", "-19", "-T2", "-q", "-f", "{work}/in.tar", "-o", "{work}/in.tar.zst"], ["sh", "-c", "zstd --version | grep -o 'v[0-9.]*'"], prepare=MAKE_TAR),
    Program("xz", ["sh", "-c", "xz -9 -T1 -k -c {work}/in.tar | wc -c"], ["xz", "--version"], prepare=MAKE_TAR),
    Program("7z", ["7z", "a", "-y", "-bd", "-mx=5", "-mmt=2", "{work}/in.7z", "{work}/in.tar"], ["sh", "-c", "7z | grep -o '[0-9][0-9]*[.][0-9]*' | head -1"], prepare="rm -f {work}/in.7z; " + MAKE_TAR),
    Program("pigz", ["sh", "-c", "pigz -9 -p 4 -c {work}/in.tar | wc -c"], ["sh", "-c", "pigz --version 2>&1"], prepare=MAKE_TAR),
    Program("tarfile", [DEBIAN_PYTHON, "-c", "import tarfile; print(sum(len(m.name) + len(t.extractfile(m).read()) for t in [tarfile.open('{work}/in.tar')] for m in t if m.isfile()))"], [DEBIAN_PYTHON, "--version"], prepare=MAKE_TAR),
    Program("ruby json", ["ruby", "-rjson", "-e", "puts JSON.parse(File.read('{work}/rows.json')).size"], ["ruby", "--version"], prepare=MAKE_JSON),
    Program("jq", ["jq", "map(.a) | add", "{work}/rows.json"], ["jq", "--version"], prepare=MAKE_JSON),
    Program("pandoc", ["pandoc", "-o", "{work}/p.html", "{work}/p.md"], ["pandoc", "--version"],
            prepare="/usr/bin/python3 -c \"[print('# h%d\\n\\n* a *b* **c** [x](y)\\n\\ntext text\\n' % i) for i in range(3000)]\" > {work}/p.md"),
    Program("rsvg-convert", ["rsvg-convert", "-w", "5000", "-o", "{work}/dots.png", "{work}/dots.svg"], ["rsvg-convert", "--version"], prepare=MAKE_SVG),
    Program("inkscape", ["inkscape", "{work}/dots.svg", "-w", "4000", "-o", "{work}/ink.png"], ["inkscape", "--version"], prepare=MAKE_SVG),
    Program("graphviz", ["dot", "-Tsvg", "{work}/g.dot", "-o", "{work}/g.svg"], ["dot", "-V"],
            prepare="/usr/bin/python3 -c \"import random; random.seed(2); print('digraph g {'); [print('n%d -> n%d;' % (random.randrange(300), random.randrange(300))) for _ in range(450)]; print('}')\" > {work}/g.dot"),
    Program("tesseract", ["tesseract", "{work}/text.png", "-"], ["tesseract", "--version"], prepare=MAKE_TEXT, model=True, environment={"OMP_THREAD_LIMIT": "2"}),
    Program("espeak-ng", ["espeak-ng", "-f", "{work}/speech.txt", "-w", "{work}/speech.wav"], ["espeak-ng", "--version"], prepare="/usr/bin/python3 -c \"print('hello to all of you. ' * 1500)\" > {work}/speech.txt"),
    Program("sox", ["sox", "-n", "-r", "48000", "{work}/tone.wav", "synth", "60", "sine", "300-3300", "reverb", "reverse"], ["sox", "--version"]),
    Program("qemu-img", ["sh", "-c", "qemu-img convert -c -O qcow2 {work}/disk.raw {work}/disk.qcow2 && qemu-img convert -O raw {work}/disk.qcow2 {work}/disk2.raw"], ["qemu-img", "--version"],
            prepare="test -e {work}/disk.raw || { head -c 64M /dev/urandom > {work}/disk.raw; truncate -s 256M {work}/disk.raw; }"),
    Program("go build", ["sh", "-c", "cd {work}/go && GOFLAGS=-mod=mod GOCACHE=$(mktemp -d) go build -o {work}/go/numbers ."], ["go", "version"],
            prepare="mkdir -p {work}/go && cd {work}/go && printf 'module x\\n\\ngo 1.19\\n' > go.mod && printf 'package main\\nimport (\"fmt\";\"sort\")\\nfunc main(){ m:=map[int]string{}; for i:=0;i<1000000;i++{m[i]=fmt.Sprint(i)}; "
                    "k:=[]int{}; for x:=range m {k=append(k,x)}; sort.Ints(k); fmt.Println(len(k))}\\n' > main.go"),
    Program("memcached", ["sh", "-c", "memcached -u root -m 256 -s {work}/mc.sock -a 0777 & /usr/bin/python3 {work}/mc.py; kill $!; wait; true"], ["memcached", "--version"],
            prepare="""cat > {work}/mc.py <<'END'
import socket, time
for _ in range(500):
    try:
        s = socket.socket(socket.AF_UNIX); s.connect('{work}/mc.sock'); break
    except OSError: time.sleep(.02)
for i in range(15000):
    s.sendall(b'set k%d 0 0 5000 noreply\\r\\n' % i + b'x' * 5000 + b'\\r\\n')
s.sendall(b'get k14999\\r\\n'); r = b''
while not r.endswith(b'END\\r\\n'): r += s.recv(65536)
print(len(r))
END"""),
    Program("nginx", ["sh", "-c", "nginx -p {work}/ng -c {work}/ng/n.conf & for i in $(seq 100); do curl -s -o /dev/null http://127.0.0.1:18080/f && break; sleep 0.05; done; "
                      "for i in 1 2 3 4; do curl -s http://127.0.0.1:18080/f | wc -c; done; kill $!; wait; true"], ["sh", "-c", "nginx -v 2>&1"],
            prepare=MAKE_CSV + "; mkdir -p {work}/ng/logs && cp {work}/rows.csv {work}/ng/f && chmod -R a+rx {work}/ng && cat > {work}/ng/n.conf <<'END'\n"
                    "daemon off; pid {work}/ng/p; error_log /dev/null; worker_processes 2; events {} http { access_log off; gzip on; gzip_types *; server { listen 127.0.0.1:18080; root {work}/ng; } }\nEND"),
    Program("sqlite import", ["sh", "-c", "rm -f {work}/a.db; printf '.mode csv\\n.import {work}/rows.csv t\\ncreate index x on t(name);\\nselect count(*) from t;\\n' | sqlite3 {work}/a.db"], ["sqlite3", "--version"], prepare=MAKE_CSV),
    # npm
    node("onnxruntime-node", "onnxruntime-node", "const o = require('onnxruntime-node'); o.InferenceSession.create('{work}/net.onnx').then(s => s.run({ x0: new o.Tensor('float32', new Float32Array(1024).fill(1), [1, 1024]) })).then(r => console.log(r.x25.data[0]))", model=True, prepare=MAKE_ONNX),
    node("duckdb for node", "@duckdb/node-api", "const d = require('@duckdb/node-api'); (async () => { const i = await d.DuckDBInstance.create(':memory:'); const c = await i.connect(); console.log((await c.runAndReadAll(\"select name, avg(b) from '{work}/rows.csv' group by name\")).getRows().length) })()", prepare=MAKE_CSV),
    node("sharp", "sharp", "require('sharp')('{work}/photo.png').resize(5000).blur(3).jpeg().toFile('{work}/sharp.jpg').then(r => console.log(r.size))", prepare=MAKE_IMAGE),
    node("polars for node", "nodejs-polars", "const p = require('nodejs-polars'); console.log(p.readCSV('{work}/rows.csv').height)", prepare=MAKE_CSV),
    node("tfjs", "@tensorflow/tfjs", "const t = require('@tensorflow/tfjs'); const a = t.randomNormal([3000, 3000]); a.add(a).mul(a).sum().data().then(d => console.log(d[0]))"),
    node("typescript", "typescript", "require('typescript').transpileModule(require('fs').readFileSync('{home}/npm/node_modules/typescript/lib/typescript.js', 'utf8').slice(0, 4e6), {})"),
    node("llama.cpp", "node-llama-cpp", "import('{home}/npm/node_modules/node-llama-cpp/dist/index.js').then(async m => { const l = await m.getLlama({ gpu: false, build: 'never' }); const model = await l.loadModel({ modelPath: '{work}/net.gguf' }); const c = await model.createContext({ contextSize: 512 }); console.log(model.size); process.exit(0) })", model=True, prepare=MAKE_GGUF),
    Program("bun", ["{home}/npm/bun", "-e", "const m = new Map(); for (let i = 0; i < 1e6; i++) m.set('k' + i, { i }); console.log(m.size)"], ["{home}/npm/bun", "--version"], needs="{home}/npm/bun"),
    Program("deno", ["{home}/npm/deno", "eval", "const m = new Map(); for (let i = 0; i < 1e6; i++) m.set('k' + i, { i }); console.log(m.size)"], ["{home}/npm/deno", "--version"], needs="{home}/npm/deno"),
]
