#include "analyzer/findings/explanations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::analyzer {
namespace {

constexpr std::array kExplanations{
    Explanation{
        .kind = FindingKind::kHeld,
        .summary = "a buffer is still alive long after its last byte was copied on",
        .meaning = "Blocks took bytes of the model, all of them were copied to somewhere else, and "
                   "at the peak the blocks are still there. Nobody needs them any more.",
        .evidence = "From reads, copies and releases. Copies took nine tenths of what had come "
                    "into the blocks (or of what they can hold), the last of these copies was "
                    "before the peak, and the peak falls by a twentieth (1 MiB at least) when the "
                    "events are replayed with each block given back right after its last copy. "
                    "Where a call from Python copied the bytes on itself, as a serializer does to "
                    "its result, the last copy is that one: its caller can free nothing earlier.",
        .not_blamed = "Blocks of which only a part was copied; mapped files; copies into a scratch "
                      "block, where each piece overwrites the one before, as nothing stays there. "
                      "A loop that moves bytes one by one is no copy that can be seen.",
        .advice = "free each buffer as soon as its last copy is made",
        .remedies = "End its scope before the next stage begins, reset the pointer, or in Python "
                    "delete the last name that refers to it. Where the copy itself is not needed, "
                    "move the buffer instead, and nothing is left to free.",
        .example = "auto blob = read(path); build(blob); run();      // there until the end\n"
                   "{ auto blob = read(path); build(blob); } run();  // gone before run()"},
    Explanation{
        .kind = FindingKind::kTwice,
        .summary = "the same weights are in memory two times, or more, at the peak",
        .meaning =
            "The bytes of the file, and what was made of them, are alive together: a file "
            "read whole beside the tensors that were copied out of it, or one set of "
            "tensors beside another. Or a block stands beside its copy, and that is all that is "
            "known of both.",
        .evidence =
            "From copies: blocks whose bytes were copied on whole (nine tenths) are alive "
            "at the peak together with the blocks that the bytes went to, by way of "
            "temporaries too. From places in the file: the very bytes of a tensor were "
            "read or copied into blocks of one process more often than once, also into one "
            "block. From values: a block of a tensor's size was seen to begin with its "
            "values, and to have them further inside, as in the file or converted to "
            "another type of float; a copy that a training keeps of its weights is one; or a "
            "block holds the very bytes of the file, at its beginning and further inside. "
            "From two readings: nine tenths of what came of a file into a block stood in "
            "others already, none of which it was copied from; the replayed peak is that of "
            "the second when the first has gone. "
            "Blocks of the same stack and of the sizes that come next, which nobody looked "
            "into in time, are taken for the next tensors, and the sentence says how many. "
            "Of a file that lists no tensors, such a block holds its bytes, or these as a "
            "wider or narrower type of float; of any file also its float32, all multiplied by one "
            "number "
            "and with another one added, also without their signs. "
            "From values in another order: those that lie side by side in a block, or short "
            "runs of them, stand at one "
            "distance from each other in the file, at two places of the block, or it begins as a "
            "tensor of its size and goes on with other values of that one than a plain copy "
            "has there, beside "
            "blocks that hold the file as it is, or its mapping. "
            "Where nothing of that was seen, from sizes: nine tenths of the "
            "tensors that the file lists (half of the bytes at least, and eight tensors of three "
            "sizes; or, with other bytes an element than in the file, sixteen of two in its order) "
            "have a block of their size twice, or once beside what was read "
            "whole; the sentence says so. From plain copies, where the file came in through memory "
            "that is not followed: a block was copied nearly whole (nine tenths of it, or of what "
            "is in use of it, half of one that grew, or as much as the model has) into blocks "
            "that stand beside it at the peak; a tenth of the peak, or as much as the model. "
            "Whether they hold weights is not known, so the sentence does not say it. Where no "
            "file is known for the model the same from 16 MiB on, if files were read to a quarter "
            "of that. "
            "From values of blocks alone, where the file is compressed or of another format, or no "
            "file is known for the model: two "
            "blocks of a process begin with the same values, and have the same further inside, or "
            "one has them as a narrower type of float, or as the whole numbers that the other's "
            "float are. "
            "From values of any blocks: a larger block holds all of others, one behind the other "
            "or row by row; each was compared at four places with where it stands there. "
            "From sizes and order alone, of any program: 64 small blocks or more of one place, "
            "which came "
            "shortly before one large block and are as large together as it is (but for a small "
            "header of each, and 64 bytes of its own); they stay to the end, or go together; and "
            "nothing else was seen to come into it. The sentence says that no more is known. "
            "From a part that was copied on, into blocks that hold little else: the sentence says "
            "which; a buffer that was read over since is not meant. "
            "Such copies are also looked for at the instant that is the highest without what all "
            "other findings name; the sentence then begins with that instant. "
            "In each case a twentieth of the peak (1 MiB at "
            "least) has to be in it, and the replayed peak has to fall by as much.",
        .not_blamed =
            "Gradients and an optimizer's state, which have the sizes of the weights but "
            "come in another order, or later; sizes that only some tensors share; parts "
            "of one tensor in several blocks; what two processes hold once each; pages of "
            "mapped files, which are no private memory; copies of a small part of a block, or "
            "made before the model was read; a buffer that moves as it grows.",
        .advice = "read into place, map the file, or move instead of copying",
        .remedies =
            "Read each tensor straight into the block that keeps it, one after the other. "
            "Or map the file and let the tensors point into it. Where a converted form is "
            "needed, convert tensor by tensor and free each source at once. Hand buffers "
            "over (std::move, from_numpy, assign=True in load_state_dict). Where a delegate "
            "packs the weights, give it what it may free, or a cache of packed weights in a file "
            "that it maps. Tied weights are "
            "one tensor: let both names share its block.",
        .example = "auto blob = read_file(path); copy(tensor, blob, at);  // two copies\n"
                   "file.seekg(at); file.read(tensor.data(), bytes);      // one"},
    Explanation{
        .kind = FindingKind::kWrittenTwice,
        .summary = "blocks were written before the weights were read into them",
        .meaning = "Every byte was written once for nothing: set to zero, or populated, and then "
                   "overwritten by the file. It costs time, not memory, so there is no peak "
                   "without it.",
        .evidence = "One memset covered nine tenths of a block before nine tenths of it came from "
                    "the model. Or its pages were resident already (95 of a hundred) when the file "
                    "went over it once; this is said of mappings and of blocks above 32 MiB alone, "
                    "whose pages come fresh from the kernel. Such blocks hold a fifth of the model "
                    "or more.",
        .not_blamed = "Heap memory that is used again, which is resident for another reason; a "
                      "buffer that several pieces go through; blocks that grew; huge pages, which "
                      "make at most half of a block resident before its time.",
        .advice = "allocate without zeroing, and read straight into the block",
        .remedies = "std::vector and std::string zero what resize() adds; so do calloc, "
                    "torch.zeros and an initialiser of weights that are then loaded. Take "
                    "uninitialised memory, or skip the initialisation (torch.nn.utils.skip_init, "
                    "the meta device).",
        .example = "std::vector<char> blob(size);                         // zeroed, then read\n"
                   "auto blob = make_unique_for_overwrite<char[]>(size);  // read alone"},
    Explanation{
        .kind = FindingKind::kGrown,
        .summary = "a buffer that grew has slack or old copies at the peak",
        .meaning = "Its final size was not known, or not said, so it grew by reallocation or by "
                   "moving to ever larger blocks. At the peak it takes more than it needs: room "
                   "beyond its end, or the old block beside the new one.",
        .evidence = "Three steps or more, by realloc or by moving to a larger block of the same "
                    "place, and at the peak a twentieth of it (1 MiB at least) more than what was "
                    "read or copied into the buffer; where that is less than half of it, more than "
                    "its last size. The replayed peak has to fall by as much with that size "
                    "reserved at the start. After one step or two, an old block beside the larger "
                    "one into which it is copied: one stack asked for both, and it was freed "
                    "before anything else was done with the larger one.",
        .not_blamed = "Buffers that are exact at the peak, however often they grew before; growth "
                      "of less than a twentieth of the peak.",
        .advice = "reserve the exact size first, or read in pieces",
        .remedies = "The size of a file is known before it is read, that of a tensor stands in "
                    "its header. Where it is not, read into pieces of a fixed size and do not "
                    "join them.",
        .example = "std::vector<char> all; while (more()) add(all, next());  // grows\n"
                   "std::vector<char> all; all.reserve(file_size(path));     // exact, once"},
    Explanation{
        .kind = FindingKind::kShortLived,
        .summary = "blocks live for a moment only, and the peak is in it",
        .meaning = "Temporaries: a decompressed piece, a converted copy, scratch memory of one "
                   "step. They are gone soon, but the peak counts them.",
        .evidence = "Blocks of 64 KiB and more at the peak that lived for a tenth of the load or "
                    "less, of a place nine tenths of whose bytes do. Or blocks of a fifth of the "
                    "model or more into which no read or copy of the model was seen, freed within "
                    "that time after the peak while the weights stay. The replayed peak has to "
                    "fall by a twentieth (1 MiB at least) without them.",
        .not_blamed =
            "Blocks that another finding names; blocks that came late and went with the "
            "end of the load while others of their place stayed; blocks with which all "
            "of the load goes, or all the rest of it right after them, as they may be "
            "what the program made of the file; a model that is loaded whole for each "
            "round, if two rounds left nothing of its size; what goes when the program "
            "ends; of the second sort, blocks without which the weights are not there, as they may "
            "be the weights themselves.",
        .advice = "work in smaller pieces, or reuse one small scratch buffer",
        .remedies = "Convert or decompress a tensor, or a piece of one, at a time, and free it "
                    "before the next one. Where several threads each have such a block, fewer "
                    "threads make the peak lower.",
        .example = "auto all = to_half(every_tensor);                   // all at one time\n"
                   "for (auto& t : tensors) t = to_half(std::move(t));  // one at a time"},
    Explanation{
        .kind = FindingKind::kKept,
        .summary = "freed memory that the allocator did not give back to the system",
        .meaning = "The program freed it, so the footprint does not have it, but its pages stay "
                   "resident: RSS is higher than the footprint. What is still in use between the "
                   "freed blocks keeps the pages.",
        .evidence = "More private memory was resident than was requested, a fifth of the peak, 16 "
                    "MiB at least, and it is the heap's: for 200 ms or more what the heap had once "
                    "held and freed (memory that was resident and unexplained before is taken "
                    "off), or by a look at the pages between its blocks.",
        .not_blamed = "Thread stacks, and allocators that are not seen, whose memory no request "
                      "explains at any time; pages that the kernel takes back a moment later; what "
                      "is freed as the program takes itself down.",
        .advice = "allocate large buffers by mmap, or trim once the load is done",
        .remedies = "malloc_trim(0) after the load gives free pages back. A lower "
                    "M_MMAP_THRESHOLD (mallopt, or MALLOC_MMAP_THRESHOLD_) gives each large "
                    "buffer a mapping of its own, which goes when it is freed. Allocate what stays "
                    "before what goes, so that nothing small pins large free stretches.",
        .example = "load(path);                  // the heap keeps what was freed\n"
                   "load(path); malloc_trim(0);  // RSS falls to what is in use"},
    Explanation{
        .kind = FindingKind::kMapped,
        .summary = "pages of the mapped model are in RSS, and are no private memory",
        .meaning = "The model is mapped, not read. Its resident pages are page cache: RSS counts "
                   "them, the footprint does not, and the kernel can take them back when memory "
                   "is short. It is no waste, but easily mistaken for one.",
        .evidence = "A quarter of the model, 16 MiB at least, was resident by samples of rss_file, "
                    "beyond what the same process had of it before the file was opened; where that "
                    "was not sampled, beyond the lowest sample outside the mapping ('at least').",
        .not_blamed = "Other files that were mapped meanwhile are taken off. Written pages of a "
                      "private mapping are private memory, and are in the footprint.",
        .advice = "compare footprints; MADV_DONTNEED drops pages not needed",
        .remedies = "Compare loaders by their footprint, not by RSS. Where a limit counts page "
                    "cache too, give back what was read once: madvise(MADV_DONTNEED) behind the "
                    "reader, or read with O_DIRECT.",
        .example = "upload(mapping + at, size);                  // its pages stay resident\n"
                   "madvise(mapping + at, size, MADV_DONTNEED);  // after the upload"},
    Explanation{
        .kind = FindingKind::kBeforeLoad,
        .summary = "memory at the peak that stood before the model was opened",
        .meaning = "Imports, tables, another model: the peak has it, but the load did not make it. "
                   "A ratio of peak to model that counts it says too much about the loader.",
        .evidence = "What was alive when the first file of the model was opened, and is alive at "
                    "the peak too: a twentieth of the peak, 1 MiB at least.",
        .not_blamed = "What stood then and was gone at the peak. There is no peak without it: "
                      "imports are no part of the load.",
        .advice = "import and initialise less before the load, or only when used",
        .remedies = "Import lazily, load in a process that has not done other work, and allocate "
                    "caches and pools after the load, when its temporaries are gone.",
        .example = "import pandas, torch       # both stand at the peak\n"
                   "def plot(): import pandas  # only where it is used"},
    Explanation{
        .kind = FindingKind::kImported,
        .summary = "modules that were imported once the model was open",
        .meaning = "A pickle imports the modules of the classes it names, a reader what it needs "
                   "for a column or a tensor, a program what it uses the model with. The peak has "
                   "it, but it is not made of the model's bytes.",
        .evidence = "What came since the first file of the model was opened, by stacks that import "
                    "(_find_and_load of importlib), and is alive at the peak: a twentieth of it, 1 "
                    "MiB at least.",
        .not_blamed = "Imports that were under way when the model was opened, those that bytes of "
                      "the model came into, and heap blocks of 2 MiB and more: a module may load "
                      "or convert it. There is no peak without it, as the program needs its "
                      "modules.",
        .advice = "import less, or what is used later once the peak is over",
        .remedies = "Of a pickle: the formats safetensors, .npz and ONNX need no code of the "
                    "library that trained the model. Import what only training needs where it is "
                    "used.",
        .example = "joblib.load('model.joblib')         # imports sklearn, scipy, pandas\n"
                   "onnxruntime.InferenceSession(path)  # needs none of them"},
    Explanation{
        .kind = FindingKind::kWidened,
        .summary = "tensors take more bytes an element than their file has",
        .meaning = "Each element is stored larger than in the file: half floats as floats, "
                   "quantised weights unpacked, or every number in an object with a tag.",
        .evidence =
            "From values: blocks were seen to hold the values of tensors in a wider type of "
            "float, or what quantised ones (q4_0 to q6_k, iq4, mxfp4) are unpacked to; or held "
            "these, and nothing else of a file, until they were changed in place, which the "
            "sentence says. Else from "
            "sizes: nine tenths of the tensors that the files list (of 64 KiB and "
            "more in memory) have a block at the peak with the same number of bytes for "
            "each element, a quarter more than in the file (eight tensors of three sizes at least, "
            "or sixteen of two in the order of the file); a vector that grew has room for a power "
            "of two of them. Of files that list none, by what was read: the blocks "
            "that a file was read into, each once and whole, have others of one multiple of "
            "their sizes, begun as soon as it was read; or eight blocks of three sizes at least "
            "have one multiple of what was read into each, and were touched beyond it. The "
            "replayed peak has to fall by a twentieth (1 MiB at least) with the bytes that the "
            "file has.",
        .not_blamed = "A few tensors that are converted while the others are not; gradients and an "
                      "optimizer's state; blocks with room to spare.",
        .advice = "store elements in the file's own type; convert at use",
        .remedies = "Keep the file's type in memory and convert in the kernel that computes, or a "
                    "tensor at a time. Store numbers in arrays of their type, not in variants or "
                    "objects; deserialise into typed buffers.",
        .example = "std::vector<Value> data;  // a tagged value: 16 bytes or more\n"
                   "std::vector<float> data;  // 4 bytes an element, as in the file"},
    Explanation{
        .kind = FindingKind::kUntouched,
        .needs_model = false,
        .summary = "heap memory that was asked for and never used",
        .meaning = "A buffer is larger than what ever went into it. The footprint counts what was "
                   "asked for; RSS does not have the rest, so far.",
        .evidence =
            "Looks at the pages of heap blocks of 1 MiB and more never found a sixteenth "
            "or more of those of one place in memory. A block that libc maps by itself is "
            "looked at right before it is freed; of others the last look has to be in the last "
            "two thirds of their life, and what may have been touched after it, at the rate of "
            "the last two looks, is taken off. What reads, copies and fills are known to have "
            "written counts as used. The replayed peak has to fall by a twentieth (1 MiB at least) "
            "with what was used alone. Where no model was loaded, a tenth of the peak, 16 MiB at "
            "least, must never have been resident by the samples.",
        .not_blamed = "Blocks that were looked at early in their lives only, and may have been "
                      "filled since; mappings, which are counted by what is touched.",
        .advice = "ask for what is used: reserve exactly, or grow on demand",
        .remedies = "Take the size from the file's header instead of an upper bound. For a pool "
                    "whose use is not known, reserve address space (mmap with MAP_NORESERVE), "
                    "which counts only what is touched.",
        .example = "pool.resize(kLargestModel);        // whatever the model is\n"
                   "pool.resize(header.tensor_bytes);  // what this one needs"},
    Explanation{
        .kind = FindingKind::kEarly,
        .summary = "heap memory that was asked for long before it was used",
        .meaning = "A buffer stood at the peak, and nothing was in it before the peak had passed: "
                   "activations beside the staging of weights, caches beside the load. Where the "
                   "system gives memory when it is asked for, as on devices and with huge pages, "
                   "it costs from then on.",
        .evidence = "Looks at the pages of heap blocks of 1 MiB and more: one after the peak found "
                    "less than a sixteenth of the block in memory, as all before it had. Device "
                    "memory that a driver keeps in the host's is looked at, too. The replayed peak "
                    "has to fall by a twentieth (1 "
                    "MiB at least) had the block come with the last event before its use.",
        .not_blamed = "Blocks that were in use at the peak, or nobody looked at between the peak "
                      "and their use; such as reads, copies or fills went into before; memory that "
                      "was never used, which is `untouched`.",
        .advice = "ask for it when it is first used, once staging is gone",
        .remedies = "Plan activations after the weights are through, make caches at the first "
                    "request, let a pool grow with the first use of each part.",
        .example = "plan_activations(); load_weights();  // both stand at the peak\n"
                   "load_weights(); plan_activations();  // staging is gone by then"},
    Explanation{
        .kind = FindingKind::kPythonArenas,
        .needs_model = false,
        .summary = "small objects of Python hold much of the peak",
        .meaning = "Lists, dicts, numbers and strings. CPython takes their memory in arenas of 256 "
                   "KiB or 1 MiB, so stacks name the line that happened to be short of an arena, "
                   "not the lines whose objects fill it.",
        .evidence = "Mappings that the interpreter made by the one instruction that maps arenas "
                    "hold a fifth of the peak or more, 16 MiB at least.",
        .not_blamed = "Other mappings of that size, such as mmap.mmap(-1, 1 << 20); objects above "
                      "512 bytes, arrays and tensors, which have stacks of their own. There is no "
                      "peak without it, as who holds them is not known.",
        .advice = "keep values in arrays or tensors, not one object each",
        .remedies = "Record once more with PYTHONMALLOC=malloc: then each object has the stack of "
                    "its line. A float in a list takes 32 bytes, in an array of doubles 8. "
                    "__slots__ makes objects smaller; generators do without the list.",
        .example = "values = [float(x) for x in reader]      # 32 bytes each\n"
                   "values = array('d', map(float, reader))  # 8 bytes each"},
    Explanation{
        .kind = FindingKind::kRegions,
        .needs_model = false,
        .summary = "an allocator inside the program holds much of the peak",
        .meaning = "Allocators that are linked into the program (mimalloc, jemalloc, tcmalloc), "
                   "Java's machine, V8, and the runtimes of Go, .NET, Mono, Haskell, D, Racket and "
                   "Crystal map regions of some MiB to some GiB and fill them themselves. What is "
                   "in them no call shows: the stack of a region names who was short of it when it "
                   "was mapped, and may be the start of the program.",
        .evidence = "Anonymous mappings that functions of such an allocator or machine made hold a "
                    "fifth of the peak or more, 16 MiB at least, beyond what of the model was read "
                    "or copied into them, and what other findings tell of by its values.",
        .not_blamed = "The heap of libc, and allocators that are shared libraries or have exported "
                      "functions: their blocks are recorded one by one. Mappings of the program's "
                      "own. There is no peak without them, as who holds them is not known.",
        .advice = "libc's malloc for one recording; a runtime's own heap dump",
        .remedies =
            "Rust: leave #[global_allocator] out for one recording. C and C++: link the "
            "allocator as a shared library, or build without it. Java: jmap "
            "-dump:live,file=heap.hprof PID, and -Xmx for a bound; a direct ByteBuffer or "
            "a mapped file lies outside of the heap. V8: node --heapsnapshot-signal=SIGUSR2, "
            "--max-old-space-size for a bound; a Buffer lies outside of the heap. Go: "
            "pprof.WriteHeapProfile, and GOMEMLIMIT or GOGC for a bound: garbage is in the "
            "peak, too. .NET: dotnet-gcdump, and DOTNET_GCHeapHardLimit for a bound. Haskell: +RTS "
            "-h, and +RTS -M for a bound.",
        .example = ""},
    Explanation{
        .kind = FindingKind::kParsed,
        .summary = "a tree of objects or arrays stood beside what was made of it",
        .meaning = "The file was parsed into a tree or a table: small objects, a node, a string "
                   "or a list each, or an array of values for each tensor. The model was made out "
                   "of that. The document was needed for the way only, but the peak has all of "
                   "it, and a number takes many times the bytes in it that it has in the model.",
        .evidence = "A thousand heap blocks of one place or more, of 1 KiB each on the average at "
                    "most and together of a fifth of the model, at the peak; a tenth of them or "
                    "less when the model was opened, and again at an instant between the peak and "
                    "the end, at which memory of an eighth of the model stands that came with the "
                    "load. With them count the larger blocks that the same line asked for, as the "
                    "lists of its objects are: those that came and went as they did, and into "
                    "which no read or copy of the model was seen. Or four such blocks of 64 KiB "
                    "or more, if they came in step with the reading of the file or grew in three "
                    "steps, went before they had stood for as long as they took to come, and what "
                    "stays has nothing of the file read or copied into it. The replayed peak has "
                    "to fall by a twentieth (1 MiB at least) without them.",
        .not_blamed = "Objects and arrays that stay, or stay until everything goes: these may be "
                      "the model; arrays of a file that is no text, for the same reason; the list "
                      "of a model's parts, which goes after them; blocks of a place that another "
                      "finding names; recordings with sampled stacks, in which small blocks have "
                      "no certain place.",
        .advice = "make the model as the file is read, without a tree of all of it",
        .remedies = "Parsers that call back or hand out one value at a time (SAX, pull, streaming) "
                    "need no tree. Parse and convert piece by piece, or take a binary form of the "
                    "model. Where a tree has to be: one arena for it, and indices instead of "
                    "pointers.",
        .example = "auto doc = json::parse(file); build(doc);  // all of it, then the model\n"
                   "json::sax_parse(file, &builder);           // a value at a time"},
    Explanation{
        .kind = FindingKind::kSmallBlocks,
        .summary = "the model is many small blocks, much larger than its file",
        .meaning = "Each string, node or entry of the model is a block of its own, with pointers "
                   "to the next, and beside them stand the tables that find them. A few bytes of "
                   "the file become a hundred in memory, and malloc adds its own to each block.",
        .evidence =
            "Heap blocks at the peak of places that asked for a thousand small ones or "
            "more, of 1 KiB each on the average at most, and for a fifth of the model in "
            "all of these: a tenth of them or less stood when the model was first read or mapped, "
            "and "
            "until the peak no other files were read or mapped of an eighth of the model "
            "together. With them count the larger blocks of the same place, where a "
            "third of its bytes is in small ones, and no read or copy of the model into "
            "the large ones was seen. Together they take half as much again as the model. "
            "The replayed peak, which has to fall by a twentieth (1 MiB at least), is that "
            "without them and with the bytes of the file in their place, since it was first "
            "read.",
        .not_blamed = "Blocks of a place that another finding names, as a document that goes when "
                      "the model is made of it (`parsed`); small blocks of less than 1.5 times the "
                      "model; a W that is a guess; recordings with sampled stacks, in which small "
                      "blocks have no certain place. Whether the blocks hold the model is not "
                      "seen: what a program builds right after a load looks the same.",
        .advice = "few large arrays with indices, not a block for each entry",
        .remedies = "Keep the text of all entries in one buffer, with an array of offsets. Sort "
                    "once and search, instead of a map of nodes. reserve() the tables first. An "
                    "arena saves what malloc adds to each block. Best is a file in the form that "
                    "the program works with: mapped, it takes nothing more.",
        .example = "std::map<std::string, int> ids;         // 100 bytes an entry, or more\n"
                   "std::string text; vector<Entry> ids;    // 8 bytes, and its letters"},
    Explanation{
        .kind = FindingKind::kProcesses,
        .summary = "several processes each have the whole model for themselves",
        .meaning = "Workers that each load the model take its size once more for each of them. So "
                   "do workers that are forked from a process that has it, once they have written "
                   "to its pages: what they only read they share.",
        .evidence = "From reads and copies: at the peak, two processes or more have blocks into "
                    "which nine tenths of the model came, or come later; or that hold nine tenths "
                    "of its tensors by their values, as what came through a pipe. From what the "
                    "kernel "
                    "counts as a forked process's own beyond its requests: so much that half of "
                    "the model is among it, whatever else its parent had when it forked it; of a "
                    "model that the parent has mapped, half of it in all such processes. The "
                    "replayed peak has to fall by a "
                    "twentieth (1 MiB at least) with the model in one of them.",
        .not_blamed =
            "Processes that each have a part of the model; mapped files that are only read, and "
            "shared memory; "
            "processes that run one after the other; what a fork has and has not written.",
        .advice = "map the file, or share it: load, then fork, and only read",
        .remedies = "Map the file read-only in each worker: the pages are there once. Or put the "
                    "weights into shared memory (memfd, shm_open, Python's shared_memory, torch's "
                    "share_memory_). Forked workers that only read share what is there; Python's "
                    "counts of references are writes, so keep weights in few large arrays, and "
                    "gc.freeze() before the fork.",
        .example = "with Pool(8) as p: p.map(load_and_run, jobs)  # the model eight times\n"
                   "model = np.load(path, mmap_mode='r')          # its pages once"},
    Explanation{
        .kind = FindingKind::kCopyOnWrite,
        .summary = "pages of the mapped model were written to, and copied for that",
        .meaning = "A private mapping of a file costs no memory of the program's own until it is "
                   "written to: then the kernel copies each page that is. Weights that are merged, "
                   "scaled or byte-swapped in place become private memory, page by page, as if "
                   "they had been read; and no other process shares them any more. With "
                   "MAP_POPULATE the kernel does so at once, for all pages of a mapping that may "
                   "be written to.",
        .evidence = "Looks at the page map find the pages of the model's private mappings that are "
                    "the process's own. Those of the mappings of one place that stand at the peak, "
                    "where the replayed peak falls by a twentieth (1 MiB at least) without them.",
        .not_blamed = "Mappings that may be written to, and are only read; written data of "
                      "programs and libraries; files that are no model.",
        .advice = "leave mapped weights as they are; merge once, and save that",
        .remedies = "Map what is only read with PROT_READ alone. Merge or convert once, save the "
                    "result, and map that. Keep what changes beside "
                    "the weights, as an adapter that is added at use. Where most of the model "
                    "changes, map it, write the result tensor by tensor, and unmap what is done.",
        .example = "model.merge_and_unload()                      # at each start\n"
                   "model.merge_and_unload().save_pretrained(out)  # once; then load `out`"},
    Explanation{
        .kind = FindingKind::kRefused,
        .needs_model = false,
        .summary = "an allocation failed shortly before the program did",
        .meaning = "The program asked for memory, got none, and ended with an error soon after: "
                   "most likely what it died of, which no peak shows.",
        .evidence = "The last request that was refused was for 1 MiB or more, within the last "
                    "second of the run (or its last tenth, where that is longer), and the exit "
                    "status was not 0.",
        .not_blamed = "Refusals that the program survived, or recovered from long before its end; "
                      "small ones.",
        .advice = "lower the peak before it, or load lazily, piece by piece",
        .remedies = "Look at what was alive then (report --at TIME), and at ulimit -v and the "
                    "container's limit. A size far beyond the model is a damaged header: check "
                    "lengths against the file's before allocating.",
        .example = "data.resize(header.count);                // whatever the file says\n"
                   "if (header.count > file_bytes) refuse();  // more than it can have"},
};
static_assert(std::ranges::all_of(kExplanations,
                                  [](const Explanation& row) {
                                    return static_cast<std::size_t>(row.kind) ==
                                           static_cast<std::size_t>(&row - kExplanations.data());
                                  }),
              "a row for each kind, by its number");
static_assert(kExplanations.size() == static_cast<std::size_t>(FindingKind::kRefused) + 1,
              "kRefused is the last kind");

}  // namespace

std::span<const Explanation> explanations() {
  return kExplanations;
}

const Explanation& explanation_of(FindingKind kind) {
  return kExplanations.at(static_cast<std::size_t>(kind));
}

std::string_view advice_of(const Finding& finding) {
  return finding.advice.empty() ? std::string_view(explanation_of(finding.kind).advice)
                                : std::string_view(finding.advice);
}

}  // namespace tidemark::analyzer
