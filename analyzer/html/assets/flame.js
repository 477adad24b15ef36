/**
 * A flame graph: every function as wide as what it and what it called holds, callers on top.
 *
 * A click on a function makes it the whole width; the rows above it lead back. What a function holds itself, and what
 * is too narrow to be seen one by one, is a part of its own: the parts below a function add up to it. Functions that
 * nearly everything passes through are one row; what a search does not find stands back.
 *
 * By keys: one function of it is reached by Tab, the arrows go to its caller, to what it called and to its neighbours,
 * Enter is a click, Escape shows all.
 */
class Flame {
  /**
   * @param look {weight(node), label(node), size(node), note(node), paint(node)}: how wide a node is, its
   *     text, its bytes, its tooltip, and {kind, colour, share}. Its bytes where the name would be cut: shortSize(node).
   */
  constructor(look) {
    this.look = look;
    this.wanted = '';
    this.body = el('div', {class: 'flame', role: 'group',
                           'aria-label': 'Flame graph. The arrow keys move, Enter fills the width, Escape shows all.',
                           keydown: (event) => this.key(event), focusin: (event) => this.focused(event.target)});
    new ResizeObserver(() => this.body.clientWidth !== this.filledWidth && this.fillAll()).observe(this.body);
    this.way = el('div', {class: 'flame-way'});
    this.search = el('input', {type: 'search', class: 'flame-search', placeholder: 'search: function or file',
                               'aria-label': 'Search functions of the graph', input: () => {
                                 this.wanted = this.search.value.trim().toLowerCase();
                                 this.markFound();
                               }});
    // On a phone a row has room for few letters: there the parts are listed, too.
    this.parts = el('ul', {class: 'flame-parts'});
    this.found = el('span', {class: 'flame-found soft', 'aria-live': 'polite'});
    // What a tooltip says to who has a pointer.
    this.told = el('p', {class: 'flame-told soft'});
    this.root = el('div', {}, this.search, this.found, this.way, el('div', {class: 'flame-box'}, this.body), this.told,
        this.parts);
  }

  /** The frame that Tab reaches, and what it holds. */
  focused(frame) {
    for (const one of this.body.children) {
      one.tabIndex = one === frame ? 0 : -1;
    }
    const lines = frame.title.split('\n');
    this.told.textContent = frame.matches(':focus-visible') ? `${lines[0]}: ${lines[lines.length - 1]}` : '';
  }

  key(event) {
    const at = this.places.get(event.target);
    const isWithin = (one, other) => one.from >= other.from - 1e-9 && one.from < other.from + other.width - 1e-9;
    const row = (depth) => [...this.places.values()].filter((place) => place.depth === depth)
        .sort((a, b) => a.from - b.from);
    const beside = (step) => row(at.depth)[row(at.depth).indexOf(at) + step];
    const ways = {
      ArrowUp: () => row(at.depth - 1).find((place) => isWithin(at, place)),
      ArrowDown: () => row(at.depth + 1).find((place) => isWithin(place, at)),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
    };
    if (event.key === 'Escape') {
      this.zoomTo([this.tree]);
    } else if (ways[event.key]) {
      event.preventDefault();
      ways[event.key]()?.frame.focus();
    }
  }

  markFound() {
    for (const frame of this.body.children) {
      frame.classList.toggle('lost', this.wanted !== '' && !this.isFoundIn.get(frame)());
    }
    this.found.textContent = this.wanted === '' ? '' : this.sumOfFound();
  }

  /** A search looks through names, files and modules, not through the numbers that stand beside them. */
  isFound(node) {
    return (node.title ?? node.name).toLowerCase().includes(this.wanted);
  }

  isAnyFound(node) {
    return this.isFound(node) || [...node.children.values()].some((child) => this.isAnyFound(child));
  }

  /** What the functions found hold in the part that is shown; what one holds for another is counted once. */
  sumOfFound() {
    const sum = {name: '', held: [0, 0], blocks: [0, 0]};
    let functions = 0;
    const walk = (node) => {
      if (this.isFound(node)) {
        ++functions;
        Flame.add(sum, node, 1);
      } else {
        node.children.forEach(walk);
      }
    };
    const above = this.above.find((node) => this.isFound(node));
    if (above) {
      return ` all of it is of ${this.look.label(above)}`;
    }
    walk(this.shown);
    return functions === 0 ? ' nothing found'
        : ` found in ${units.counted(functions, 'place', 'places')}: ${this.look.note(sum)}`;
  }

  static add(sum, node, sign) {
    [0, 1].forEach((side) => {
      sum.held[side] += sign * node.held[side];
      sum.blocks[side] += sign * node.blocks[side];
    });
  }

  /** The path on from a node to the last function that nearly everything passes through. */
  common(path) {
    const NEARLY_ALL = 0.98;
    const FEWEST = 3;
    const total = this.look.weight(path[path.length - 1]);
    const found = [...path];
    for (;;) {
      const next = [...found[found.length - 1].children.values()]
          .find((child) => this.look.weight(child) >= NEARLY_ALL * total);
      if (!next || next.children.size === 0) {
        break;
      }
      found.push(next);
    }
    return found.length - path.length < FEWEST ? path : found;
  }

  /** @param tree {name, children: Map or array, ...}, the whole on top. */
  show(tree) {
    this.tree = tree;
    this.zoomTo([tree]);
  }

  /** @param path from the tree's root to the node that is to fill the width. */
  zoomTo(path) {
    const hadFocus = this.root.contains(document.activeElement) && document.activeElement !== this.search;
    const rows = [];
    const node = path[path.length - 1];
    const total = this.look.weight(node);
    this.shown = node;
    this.above = path.slice(0, -1);
    this.narrowest = this.narrowestOf(node, total);
    this.isFoundIn = new Map();
    this.places = new Map();
    path.slice(0, -1).forEach((above, depth) => {
      rows.push(this.frame(above, path.slice(0, depth + 1), 0, 1, depth, 'above'));
    });
    this.deepest = path.length;
    this.folded = 0;
    const common = path.length === 1 && total > 0 ? this.common(path) : path;
    if (common.length > path.length) {
      this.placeFolded(path, common, total, rows);
    } else {
      this.place(node, path, 0, total, rows);
    }
    this.body.style.height = `${this.deepest * 20 + 1}px`;
    this.body.replaceChildren(...rows);
    this.markFound();
    this.listParts(common);
    this.way.replaceChildren(...(path.length > 1
        ? [el('button', {type: 'button', click: () => this.zoomTo([this.tree])}, 'Show all'),
           ` ${this.look.label(node)}: ${this.look.note(node)}`] : []));
    // What was pressed is gone: the keyboard stays with the function that it led to.
    const now = this.body.children[path.length - 1];
    this.focused(now);
    if (hadFocus) {
      now.focus({preventScroll: true});
    }
  }

  /**
   * The least share that has a box. A browser stands still for many seconds over tens of thousands of them, which deep
   * stacks of an interpreter are, a few pixels wide.
   */
  narrowestOf(top, total) {
    const [SEEN, MOST_BOXES] = [0.002, 1500];
    const weights = [];
    const walk = (node) => {
      const weight = this.look.weight(node);
      if (weight >= SEEN * total) {
        weights.push(weight);
        node.children.forEach(walk);
      }
    };
    walk(top);
    return weights.length <= MOST_BOXES ? SEEN
        // More than that of the one that is the first too many: many are as wide as it is.
        : (weights.sort((a, b) => b - a)[MOST_BOXES] + 1) / total;
  }

  /** The largest parts of the node that a path ends in, each a way to it. */
  listParts(path) {
    const MOST = 6;
    const parts = [...path[path.length - 1].children.values()].sort((a, b) => this.look.weight(b) - this.look.weight(a));
    this.parts.replaceChildren(...parts.slice(0, MOST).map((part) => el('li', {},
        el('button', {type: 'button', click: () => this.zoomTo([...path, part])}, names.lines(this.look.label(part))), ' ',
        el('span', {class: 'soft'}, this.look.size(part)))));
  }

  /** The whole, one row for what all have in common, and below it where the ways part. */
  placeFolded(path, common, total, rows) {
    const [node] = path;
    const last = common[common.length - 1];
    rows.push(this.frame(node, path, 0, 1, 0, ''));
    const row = this.frame(last, common, 0, 1, 1, 'common');
    const name = `${this.look.label(common[1])} … ${this.look.label(last)} (${common.length - 1} functions)`;
    this.places.get(row).name = name;
    this.fill(this.places.get(row));
    row.setAttribute('aria-label', `${name}, ${this.look.size(last)}`);
    this.isFoundIn.set(row, () => common.slice(1).some((each) => this.isFound(each)));
    rows.push(row);
    this.folded = common.length - 2;
    this.deepest = 2;
    this.placeChildren(last, common, 0, total, rows);
  }

  place(node, path, from, total, rows) {
    const width = total > 0 ? this.look.weight(node) / total : 1;
    const depth = path.length - 1 - this.folded;
    this.deepest = Math.max(this.deepest, depth + 1);
    rows.push(this.frame(node, path, from, width, depth, ''));
    this.placeChildren(node, path, from, total, rows);
  }

  placeChildren(node, path, from, total, rows) {
    let at = from;
    const children = [...node.children.values()].sort(
        (a, b) => this.look.weight(b) - this.look.weight(a));
    const rest = Flame.restOf(node);
    for (const child of children) {
      const share = total > 0 ? this.look.weight(child) / total : 0;
      if (share >= this.narrowest) {
        this.place(child, [...path, child], at, total, rows);
        at += share;
        Flame.add(rest, child, -1);
      } else {
        rest.smaller.push(child);
      }
    }
    const share = total > 0 ? this.look.weight(rest) / total : 0;
    if (children.length > 0 && share >= this.narrowest) {
      this.placeRest(node, rest, [path, at, share], rows);
    }
  }

  /** What is drawn of no child: all of a node, at first. */
  static restOf(node) {
    return {held: [...node.held], blocks: [...node.blocks], lanes: node.lanes, children: new Map(), smaller: [],
            kind: 'own'};
  }

  placeRest(node, rest, [path, from, width], rows) {
    const own = {...rest, held: [...node.held], blocks: [...node.blocks]};
    node.children.forEach((child) => Flame.add(own, child, -1));
    const isOwn = this.look.weight(own) > 0;
    const smaller = units.counted(rest.smaller.length, 'smaller part', 'smaller parts');
    rest.name = rest.smaller.length === 0 ? 'own' : isOwn ? `own and ${smaller}` : smaller;
    rest.title = `${rest.name} of ${this.look.label(node)}`;
    const depth = path.length - this.folded;
    this.deepest = Math.max(this.deepest, depth + 1);
    const row = this.frame(rest, path, from, width, depth, '');
    this.isFoundIn.set(row, () => (isOwn && this.isFound(node)) || rest.smaller.some((part) => this.isAnyFound(part)));
    rows.push(row);
  }

  frame(node, path, from, width, depth, extra) {
    const paint = this.look.paint(node);
    const frame = el('button', {
      type: 'button',
      'aria-label': `${this.look.label(node)}, ${this.look.size(node)}`,
      class: `flame-frame ${paint.kind ?? ''} ${extra}`,
      title: `${node.title ?? this.look.label(node)}\n${this.look.note(node)}`,
      style: {left: `${from * 100}%`, width: `${width * 100}%`, top: `${depth * 20}px`,
              '--tone': paint.colour ?? '', '--share': paint.share ?? ''},
      click: () => this.zoomTo(path),
    });
    this.isFoundIn.set(frame, () => this.isFound(node));
    const place = {frame, depth, from, width, node, name: this.look.label(node)};
    this.places.set(frame, place);
    this.fill(place);
    return frame;
  }

  /** Again where the page got another width: a phone was turned. */
  fillAll() {
    this.filledWidth = this.body.clientWidth;
    this.places?.forEach((place) => this.fill(place));
  }

  /** What of a function's name and bytes has room in its box. */
  fill({frame, width, node, name}) {
    // Before it is on the page it has no width of its own.
    const pixels = width * (this.body.clientWidth || document.documentElement.clientWidth - 40);
    const hasRoom = pixels > 24;
    frame.classList.toggle('thin', !hasRoom);
    // The name comes first: bytes stand where most of it has room beside them.
    const [LETTER, FEW_LETTERS] = [7, 18];
    const letters = name.length;
    const hasRoomFor = (most, text) => pixels > LETTER * (Math.min(letters, most) + text.length) + 24;
    const whole = this.look.size(node);
    const size = hasRoomFor(letters, whole) ? whole : this.look.shortSize?.(node) ?? whole;
    const hasSize = hasRoomFor(FEW_LETTERS, size);
    const PADDING = 10;
    const room = pixels - PADDING - (hasSize ? this.widthOf(size) + PADDING : 0);
    const shown = hasRoom ? names.fitted(name, (text) => this.widthOf(text) <= room) : '';
    frame.replaceChildren(el('span', {class: 'flame-name'}, shown),
        ...(hasSize ? [el('span', {class: 'flame-size'}, size)] : []));
  }

  /** Of a text in a box, in pixels. */
  widthOf(text) {
    if (!this.pen) {
      this.pen = document.createElement('canvas').getContext('2d');
      this.pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    }
    return this.pen.measureText(text).width;
  }
}
