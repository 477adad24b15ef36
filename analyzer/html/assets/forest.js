const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);

/** The functions of all stacks of the page: a tree, its root (node 0) the whole. */
class Forest {
  constructor(data) {
    this.strings = data.strings;
    this.frames = data.frames.map((row) => this.frameFrom(row));
    this.parents = numbers.unpack(data.parent);
    this.frameIds = numbers.unpack(data.frame);
    this.askers = numbers.unpack(data.asker);
    this.natives = numbers.unpack(data.native);
    this.runs = Forest.runsFrom(numbers.unpack(data.shown), this.parents.length);
  }

  /** By node: runs of places of its stack that a flame graph leaves out and shows, in turns: see forest_document.hpp. */
  static runsFrom(list, nodes) {
    const runs = [[]];
    for (let at = 0; runs.length < nodes; at += 1 + list[at]) {
      runs.push(list.slice(at + 1, at + 1 + list[at]));
    }
    return runs;
  }

  frameFrom([nameIndex, whole, file, line, module, flags, fileNameIndex]) {
    const name = this.strings[nameIndex];
    const fileName = fileNameIndex === undefined ? baseName(this.strings[file]) : this.strings[fileNameIndex];
    const needsFile = (flags & 2) !== 0;
    return {
      name,
      /** Its name where no place stands beside it: see lone_name in stack_names.hpp. */
      alone: needsFile ? `${name} (${fileName}:${line})` : name,
      /** What makes a function of two builds the same one: see lineless_short_name there. */
      key: needsFile ? `${name} (${fileName})` : name,
      function: this.strings[whole],
      file: this.strings[file],
      fileName,
      line,
      module: this.strings[module],
      isPlumbing: (flags & 1) !== 0,
      isPython: (flags & 4) !== 0,
    };
  }

  frameOf(node) {
    return this.frames[this.frameIds[node]];
  }

  /**
   * The stack that ends in a node, innermost function first; empty for the root. Its `asking` is the index of the
   * function that asked for the memory, as the report says it: of a Python program a line of its own. Its `native` is
   * that of the extension's function that asked inside of the line; -1: none.
   */
  stackOf(node) {
    const stack = [];
    stack.asking = this.askers[node];
    stack.native = this.natives[node] - 1;
    for (let at = node; at !== 0; at = this.parents[at]) {
      stack.push(this.frameOf(at));
    }
    return stack;
  }

  /**
   * What a flame graph shows of the stack that ends in a node, innermost function first: see outline_of in
   * stack_names.hpp.
   *
   * @param isFromAsker only from the function that asked on.
   */
  outlineOf(node, isFromAsker = false) {
    const stack = this.stackOf(node);
    const shown = [];
    let place = 0;
    const runs = this.runs[node];
    [...runs, ...(runs.length % 2 === 1 ? [stack.length] : [])].forEach((length, i) => {
      shown.push(...(i % 2 === 1 ? stack.slice(Math.max(place, isFromAsker ? stack.asking : 0), place + length) : []));
      place += length;
    });
    return shown;
  }
}

const frames = {
  /** `loader.cpp:40`, or the module where the line is unknown. */
  place(frame) {
    if (frame.file) {
      return frame.fileName + (frame.line ? `:${frame.line}` : '');
    }
    return frame.module ? `[${baseName(frame.module)}]` : '';
  },

  /** Everything that is known of it, for a tooltip. */
  whole(frame) {
    const file = frame.file && `\n${frame.file}${frame.line ? `:${frame.line}` : ''}`;
    return `${frame.function}${file}${frame.module ? `\n${frame.module}` : ''}`;
  },

  /** One line of a stack. */
  line(frame, prefix = '') {
    return el('div', {class: frame.isPlumbing ? 'frame-line plumbing' : 'frame-line',
                      title: frames.whole(frame)},
        el('span', {class: 'through'}, prefix), el('span', {class: 'function'}, names.lines(frame.name)), ' ',
        el('span', {class: 'place'}, frames.place(frame)));
  },

  /** A stack as lines; the function that asked stands out. */
  list(stack) {
    const {asking} = stack;
    return stack.map((frame, i) => {
      const line = frames.line(frame, i < asking ? 'through' : i === asking ? 'by' : 'from');
      line.classList.toggle('asking', i === asking);
      return line;
    });
  },
};
