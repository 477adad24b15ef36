/**
 * A flame graph: every function as wide as what it and what it called holds, callers on top.
 *
 * A click on a function makes it the whole width; what is too narrow to be seen is not drawn, and
 * its caller shows the gap. Functions that nearly everything passes through are one row; what a search
 * does not find stands back.
 */
class Flame {
  /**
   * @param look {weight(node), label(node), size(node), note(node), paint(node)}: how wide a node is, its
   *     text, its bytes, its tooltip, and {lane, share} or {change}, which become its colour.
   */
  constructor(look) {
    this.look = look;
    this.wanted = '';
    this.body = el('div', {class: 'flame'});
    this.way = el('div', {class: 'flame-way'});
    this.search = el('input', {type: 'search', class: 'flame-search', placeholder: 'search: function or file',
                               'aria-label': 'Search functions of the graph', input: () => {
                                 this.wanted = this.search.value.trim().toLowerCase();
                                 this.markFound();
                               }});
    this.root = el('div', {}, this.search, this.way, el('div', {class: 'flame-box'}, this.body));
  }

  markFound() {
    for (const frame of this.body.children) {
      frame.classList.toggle('lost', this.wanted !== '' && !frame.title.toLowerCase().includes(this.wanted));
    }
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
    const rows = [];
    const node = path[path.length - 1];
    const total = this.look.weight(node);
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
    this.way.replaceChildren(...(path.length > 1
        ? [el('button', {type: 'button', click: () => this.zoomTo([this.tree])}, 'Show all'),
           ` ${this.look.label(node)}: ${this.look.note(node)}`] : []));
  }

  /** The whole, one row for what all have in common, and below it where the ways part. */
  placeFolded(path, common, total, rows) {
    const [node] = path;
    const last = common[common.length - 1];
    rows.push(this.frame(node, path, 0, 1, 0, ''));
    const row = this.frame(last, common, 0, 1, 1, 'common');
    row.firstChild.textContent =
        `${this.look.label(common[1])} … ${this.look.label(last)} (${common.length - 1} functions)`;
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
    for (const child of children) {
      const share = total > 0 ? this.look.weight(child) / total : 0;
      const NARROWEST = 0.002;
      if (share >= NARROWEST) {
        this.place(child, [...path, child], at, total, rows);
      }
      at += share;
    }
  }

  frame(node, path, from, width, depth, extra) {
    const paint = this.look.paint(node);
    const frame = el('button', {
      type: 'button',
      class: `flame-frame ${paint.kind ?? ''} ${extra}`,
      title: `${node.title ?? this.look.label(node)}\n${this.look.note(node)}`,
      style: {left: `${from * 100}%`, width: `${width * 100}%`, top: `${depth * 20}px`,
              '--tone': paint.colour ?? '', '--share': paint.share ?? ''},
      click: () => this.zoomTo(path),
    });
    const hasRoom = width > 0.02;
    frame.classList.toggle('thin', !hasRoom);
    frame.append(el('span', {class: 'flame-name'}, hasRoom ? this.look.label(node) : ''));
    const isWide = width > 0.12;
    if (isWide) {
      frame.append(el('span', {class: 'flame-size'}, this.look.size(node)));
    }
    return frame;
  }
}
