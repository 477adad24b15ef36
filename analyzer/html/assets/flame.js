/**
 * A flame graph: every function as wide as what it and what it called holds, callers on top.
 *
 * A click on a function makes it the whole width; what is too narrow to be seen is not drawn, and
 * its caller shows the gap.
 */
class Flame {
  /**
   * @param look {weight(node), label(node), note(node), paint(node)}: how wide a node is, its text,
   *     its tooltip, and {lane, share} or {change}, which become its colour.
   */
  constructor(look) {
    this.look = look;
    this.body = el('div', {class: 'flame'});
    this.way = el('div', {class: 'flame-way'});
    this.root = el('div', {}, this.way, el('div', {class: 'flame-box'}, this.body));
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
    this.place(node, path, 0, total, rows);
    this.body.style.height = `${this.deepest * 20 + 1}px`;
    this.body.replaceChildren(...rows);
    this.way.replaceChildren(...(path.length > 1
        ? [el('button', {type: 'button', click: () => this.zoomTo([this.tree])}, 'Show all'),
           ` ${this.look.label(node)}: ${this.look.note(node)}`] : []));
  }

  place(node, path, from, total, rows) {
    const width = total > 0 ? this.look.weight(node) / total : 1;
    const depth = path.length - 1;
    this.deepest = Math.max(this.deepest, depth + 1);
    rows.push(this.frame(node, path, from, width, depth, ''));
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
    frame.append(hasRoom ? this.look.label(node) : '');
    return frame;
  }
}
