/** The functions of all stacks of the page: a tree, its root (node 0) the whole. */
class Forest {
  constructor(data) {
    this.strings = data.strings;
    this.frames = data.frames.map(([name, whole, file, line, module, flags]) => ({
      name: this.strings[name],
      function: this.strings[whole],
      file: this.strings[file],
      line,
      module: this.strings[module],
      isPlumbing: (flags & 1) !== 0,
      isNamed: (flags & 2) === 0,
      isEntryPoint: (flags & 4) !== 0,
      isAllocator: (flags & 8) !== 0,
    }));
    this.parents = numbers.unpack(data.parent);
    this.frameIds = numbers.unpack(data.frame);
  }

  frameOf(node) {
    return this.frames[this.frameIds[node]];
  }

  /** The stack that ends in a node, innermost function first; empty for the root. */
  stackOf(node) {
    const stack = [];
    for (let at = node; at !== 0; at = this.parents[at]) {
      stack.push(this.frameOf(at));
    }
    return stack;
  }
}

const frames = {
  /** `loader.cpp:40`, or the module where the line is unknown. */
  place(frame) {
    const base = (path) => path.slice(path.lastIndexOf('/') + 1);
    if (frame.file) {
      return base(frame.file) + (frame.line ? `:${frame.line}` : '');
    }
    return frame.module ? `[${base(frame.module)}]` : '';
  },

  /** Its name where no place stands beside it: see lone_name in stack_names.hpp. */
  alone(frame) {
    return frames.isUnnamed(frame) ? `${frame.name} (${frames.place(frame)})` : frame.name;
  },

  /** Every file of Python has a `<module>`. */
  isUnnamed: (frame) => /(^|\.)<[a-z]+>$/.test(frame.name) && frame.file !== '',

  /** What makes a function of two builds the same one. */
  key: (frame) => (frames.isUnnamed(frame) ? `${frame.name} ${frame.file.slice(frame.file.lastIndexOf('/') + 1)}` : frame.name),

  /** Everything that is known of it, for a tooltip. */
  whole(frame) {
    const file = frame.file && `\n${frame.file}${frame.line ? `:${frame.line}` : ''}`;
    return `${frame.function}${file}${frame.module ? `\n${frame.module}` : ''}`;
  },

  /** The index of the function that asked for the memory: see asking_frame in stack_names.hpp. */
  asking(stack) {
    const found = frames.beyondPlumbing(stack);
    if (found < 0) {
      return 0;
    }
    const {isNamed, module} = stack[found];
    for (let i = found; !isNamed && i < Math.min(found + 4, stack.length) && stack[i].module === module; ++i) {
      if (stack[i].isNamed && !stack[i].isPlumbing && !stack[i].isEntryPoint) {
        return i;
      }
    }
    return found;
  },

  /** The innermost frame that is no plumbing, nor a library's allocator without a name; -1: none. */
  beyondPlumbing(stack) {
    const found = stack.findIndex((frame, i) => !frame.isPlumbing && !frames.isInsideAllocator(stack, i));
    if (found < 1 || stack[found].isNamed || stack[found].module !== stack[found - 1].module ||
        !stack[found - 1].isAllocator) {
      return found;
    }
    const mostSteps = 2;
    const {module} = stack[found];
    const behind = stack.findIndex((frame, i) => i >= found && (frame.isNamed || frame.module !== module));
    const isLibrary = behind >= 0 && behind - found <= mostSteps && stack[behind].module !== module && !stack[behind].isPlumbing;
    return isLibrary ? behind : found;
  },

  /** An allocator's own function by what is around it: see is_inside_allocator in stack_roles.cpp. */
  isInsideAllocator(stack, at) {
    const mostStepsBetween = 3;
    const meets = (direction, mostSteps) => {
      for (let i = at + direction, steps = 0; steps <= mostSteps; i += direction, ++steps) {
        if (stack[i]?.module !== stack[at].module || stack[i].isNamed) {
          return stack[i]?.module === stack[at].module && stack[i].isAllocator;
        }
      }
      return false;
    };
    if (stack[at].isNamed) {
      return meets(1, 0) && (at === 0 || meets(-1, 0));
    }
    return meets(1, 1) || (meets(1, mostStepsBetween) && meets(-1, mostStepsBetween));
  },

  /** One line of a stack. */
  line(frame, prefix = '') {
    return el('div', {class: frame.isPlumbing ? 'frame-line plumbing' : 'frame-line',
                      title: frames.whole(frame)},
        el('span', {class: 'through'}, prefix), el('span', {class: 'function'}, frame.name), ' ',
        el('span', {class: 'place'}, frames.place(frame)));
  },

  /** A stack as lines; the function that asked stands out. */
  list(stack) {
    const asking = frames.asking(stack);
    return stack.map((frame, i) => {
      const line = frames.line(frame, i < asking ? 'through' : i === asking ? 'by' : 'from');
      line.classList.toggle('asking', i === asking);
      return line;
    });
  },
};
