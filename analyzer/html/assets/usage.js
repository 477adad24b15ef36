/**
 * How memory was asked for over the whole run, whatever is alive at the peak: the lists of the window's pane of that
 * name. Folded, and made where somebody opens it.
 */
class UsagePanel {
  /** @param lists see usage_document.hpp; the first is shown. */
  constructor(lists, forest) {
    this.lists = lists;
    this.forest = forest;
    this.by = lists[0].by;
    this.ofFunctions = false;
    this.body = el('div', {id: 'usage-list', 'aria-live': 'polite'});
    this.switches = this.makeSwitches();
    this.root = el('section', {id: 'usage', 'aria-labelledby': 'usage-title'}, opening(
        el('summary', {}, el('h2', {id: 'usage-title'}, 'Allocations')), () => {
          this.show();
          return [el('div', {class: 'switches'}, this.switches.map((group) => el('p', {class: 'buttons', role: 'group',
                     'aria-label': group.label}, group.buttons.map(({node}) => node)))), this.body];
        }));
  }

  /** What is chosen of each is pressed. */
  makeSwitches() {
    const WORDS = [['temporary', 'temporary'], ['leaked', 'alive at the end'], ['allocations', 'most often'],
                   ['size', 'by size'], ['thread', 'by thread']];
    const group = (label, key, choices) => ({label, key, buttons: choices.map(([value, text]) => ({value,
        node: el('button', {type: 'button', click: () => {
          this[key] = value;
          this.show();
        }}, text)}))});
    return [group('Allocations', 'by', WORDS), group('Rows', 'ofFunctions', [[false, 'stacks'], [true, 'functions']])];
  }

  /** Sizes and threads are no functions. */
  get list() {
    const ofKind = this.lists.filter((list) => list.by === this.by);
    return ofKind.find((list) => list.of_functions === this.ofFunctions) ?? ofKind[0];
  }

  show() {
    const {list} = this;
    for (const {key, buttons} of this.switches) {
      buttons.forEach(({value, node}) => node.setAttribute('aria-pressed', String(value === this[key])));
    }
    const [, rows] = this.switches;
    rows.buttons.forEach(({node}) => {
      node.hidden = this.lists.filter((one) => one.by === this.by).length < 2;
    });
    const last = list.headings.length - 1;
    const columns = list.headings.map((title, i) => ({title, isNumber: i < last}));
    this.body.replaceChildren(el('p', {class: 'soft'}, list.title), list.rows.length === 0 ? ''
        : table(columns, this.rowsOf(list), {isInOrder: true, narrow: 'name-last'}));
  }

  rowsOf(list) {
    const rows = list.rows.map((row) => ({...row, stack: row.name === undefined ? this.forest.stackOf(row.node) : [],
                                          told: []}));
    if (!list.of_functions) {
      stackRows.tellApart(rows.filter((row) => row.stack.length > 0));
    }
    return rows.map((row) => ({className: row.is_rest ? 'folded' : '',
        cells: [...row.cells.map((text) => cell.text(text)), UsagePanel.nameCell(row)]}));
  }

  static nameCell(row) {
    if (row.name !== undefined) {
      return cell.text(row.name);
    }
    if (row.stacks === undefined || row.stack.length === 0) {
      return stackDetails(row.stack, row.told);
    }
    return functionDetails(row);
  }
}

/** A function with all stacks that it asked in; opened, the heaviest of them. */
function functionDetails({stack, stacks, has_one_line: hasOneLine}) {
  const asking = stack[stack.asking];
  const place = hasOneLine ? frames.place(asking) : frames.place({...asking, line: 0});
  const all = stacks === 1 ? null : [', ', el('span', {class: 'told whole'}, units.counted(stacks, 'stack', 'stacks'))];
  const title = stacks === 1 ? [] : [el('p', {class: 'life'}, 'The heaviest of them:')];
  return {text: asking.name, node: opening(
      el('summary', {}, el('span', {class: 'function'}, names.lines(asking.name)), ' ',
         el('span', {class: 'place'}, place), all),
      () => [...title, ...frames.list(stack)])};
}
