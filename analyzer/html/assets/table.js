/**
 * A table that sorts by any column: a click on its head, once more for the other way round.
 *
 * @param columns {title, isNumber, hint}
 * @param rows {cells: [{text | node, order}], detail}: `order` is what to sort by, else the text;
 *     `detail` makes what is shown below the row when it is opened.
 * @param options {caption, sortBy: index, limit: rows shown at first, narrow: what a narrow screen does with it, a class
 *     of page.css, isInOrder: it would mean nothing in another order, and does not sort, onSort: called with the column}
 */
function table(columns, rows, options = {}) {
  const body = el('tbody');
  const state = {column: options.sortBy ?? -1, descending: true, limit: options.limit ?? Infinity};
  const more = el('button', {type: 'button', class: 'more', click: () => {
    const shown = body.rows.length;
    state.limit = Infinity;
    fill();
    // The button is gone: the keyboard goes on with what it brought.
    body.rows[shown]?.querySelector('summary')?.focus();
  }});
  const heads = columns.map((column, i) => el('th', {scope: 'col', class: column.isNumber ? 'number' : ''},
      options.isInOrder ? column.title
          : el('button', {type: 'button', title: column.hint, click: () => sortBy(i)}, column.title)));

  function orderOf(row) {
    const cell = row.cells[state.column];
    return cell.order ?? cell.text;
  }

  /** Rows without a value come last, either way. */
  function compare(a, b) {
    const [left, right] = [orderOf(a), orderOf(b)];
    if (left === '' || right === '' || left === undefined || right === undefined) {
      return (left === '' || left === undefined) - (right === '' || right === undefined);
    }
    const order = typeof left === 'string' ? left.localeCompare(right) : left - right;
    return state.descending ? -order : order;
  }

  function sortBy(column) {
    state.descending = state.column === column ? !state.descending : Boolean(columns[column].isNumber);
    state.column = column;
    fill();
    options.onSort?.(column);
  }

  function rowOf(row) {
    const cells = row.cells.map((cell, i) => el('td', {class: columns[i].isNumber ? 'number' : '',
        'data-title': cell.node || cell.text ? columns[i].title : null, title: cell.hint}, cell.node ?? cell.text));
    return el('tr', {class: row.className}, cells);
  }

  function fill() {
    (options.isInOrder ? [] : heads).forEach((head, i) => {
      head.setAttribute('aria-sort', i !== state.column ? 'none'
          : state.descending ? 'descending' : 'ascending');
    });
    const sorted = state.column < 0 ? rows : [...rows].sort(compare);
    body.replaceChildren(...sorted.slice(0, state.limit).map(rowOf));
    more.hidden = sorted.length <= state.limit;
    more.textContent = `Show all ${units.count(sorted.length)} rows`;
  }

  fill();
  return el('div', {class: `table-box ${options.narrow ?? ''}`},
      el('table', {}, options.caption ? el('caption', {}, options.caption) : null,
          el('thead', {}, el('tr', {}, heads)), body), more);
}

/** Cells of usual kinds. */
const cell = {
  text: (text, hint) => ({text: text ?? '', hint}),
  size: (bytes) => ({text: units.size(bytes), order: bytes, hint: `${units.count(bytes)} B`}),
  signedSize: (bytes) => ({text: bytes === 0 ? '0 B' : units.signedSize(bytes), order: bytes,
                           hint: `${units.count(bytes)} B`}),
  time: (ns) => ({text: units.time(ns), order: ns, hint: units.exactTime(ns)}),
  /** To the digits that tell it from another one in its row, and from those of rows beside it. */
  timeBeside: (ns, other) => ({
    text: ns !== other && units.fineTime(ns) === units.fineTime(other) ? units.exactTime(ns) : units.fineTime(ns),
    order: ns, hint: units.exactTime(ns)}),
  count: (number) => ({text: units.count(number), order: number}),
  share: (part, whole) => ({text: units.share(part, whole), order: whole ? part / whole : 0}),
  none: () => ({text: '', order: undefined}),
};
