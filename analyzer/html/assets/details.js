/** The tables that every load has. */
const details = {
  lanes(load) {
    const sizeCell = ({text, order}) => ({text, order: order ?? undefined});
    const rows = load.data.lanes.map((row) => ({cells: [
      {text: row.name.trim(), node: el('span', {class: row.name.startsWith(' ') ? 'part' : ''}, row.name.trim())},
      sizeCell(row.highest), sizeCell(row.at_peak), cell.text(row.meaning)]}));
    return section(`lanes${load.name}`, titled('Memory', load), table(
        [{title: 'lane'}, {title: 'highest', isNumber: true}, {title: 'at the peak', isNumber: true},
         {title: 'meaning'}], rows, {narrow: 'text-last'}));
  },

  phases(load) {
    const {phases, model_bytes: modelBytes} = load.data;
    if (phases.length === 0) {
      return null;
    }
    // Said once where it is so of all: a line of each took two.
    const areFound = phases.every((phase) => !phase.marked);
    const rows = phases.map((phase) => ({cells: [
      cell.text(phase.name + (phase.marked || areFound ? '' : ' (found)')),
      cell.timeBeside(phase.begin_ns, phase.end_ns), cell.timeBeside(phase.end_ns, phase.begin_ns),
      cell.time(phase.end_ns - phase.begin_ns), cell.size(phase.peak_bytes),
      modelBytes ? {text: `${units.fixed(phase.peak_bytes / modelBytes, 2)} × W`, order: phase.peak_bytes / modelBytes}
                 : cell.none()]}));
    return section(`phases${load.name}`, titled('Phases', load), table(
        [{title: areFound ? 'phase (found)' : 'phase', hint: areFound ? 'by what was read: see tidemark marks' : null},
         {title: 'begin', isNumber: true}, {title: 'end', isNumber: true},
         {title: 'took', isNumber: true}, {title: 'highest', isNumber: true}, {title: 'of W', isNumber: true}],
        rows, {limit: 20, narrow: 'name-first'}), shortage(rows.length, load.data.phase_count, 'phases'));
  },

  files(load) {
    if (load.data.files.length === 0) {
      return null;
    }
    const rows = load.data.files.map((file) => ({cells: [
      cell.size(file.size), cell.size(file.read), cell.size(file.mapped),
      {text: file.is_model ? 'W' : '', hint: 'part of the model'},
      {text: file.path, node: el('span', {class: 'path'}, details.path(file.path))}]}));
    return section(`files${load.name}`, titled('Files', load), table(
        [{title: 'size', isNumber: true}, {title: 'read', isNumber: true}, {title: 'mapped', isNumber: true},
         {title: 'model'}, {title: 'path'}], rows, {limit: 12, narrow: 'name-last'}),
        shortage(rows.length, load.data.file_count, 'files'));
  },

  /** Its lines end behind folders rather than within a name. */
  path: (text) => linesBehind(text, /[^/]*\/+|[^/]+/g),

  /** The weights at the peak, the largest first: who made them, and where in their file they lie; or why none is known. */
  tensors(load, forest) {
    const {tensors} = load.data;
    if (!tensors) {
      return null;
    }
    const title = el('p', {class: 'soft'}, tensors.title);
    if (tensors.rows.length === 0) {
      return section(`tensors${load.name}`, 'Tensors', title);
    }
    const rows = tensors.rows.map((row) => ({cells: [
      cell.text(row.name), cell.text(row.kind),
      row.bytes === 0 ? {text: 'mapped', order: 0} : cell.size(row.bytes), cell.size(row.file_bytes),
      {text: units.size(row.file_begin), order: row.file_begin, hint: `from byte ${units.count(row.file_begin)} on`},
      row.bytes === 0 ? cell.text('') : stackDetails(forest.stackOf(row.node))]}));
    return section(`tensors${load.name}`, 'Tensors', title, table(
        [{title: 'tensor'}, {title: 'type', hint: '~: by the sizes of blocks; what came into them was not seen'},
         {title: 'in memory', isNumber: true}, {title: 'in file', isNumber: true},
         {title: 'begins at', isNumber: true, hint: 'where in its file it begins'},
         {title: 'made by'}], rows, {sortBy: 2, limit: 8, narrow: 'name-first'}),
        shortage(rows.length, tensors.count, 'tensors'));
  },

  processes(load) {
    if (load.data.processes.length < 2) {
      return null;
    }
    const rows = load.data.processes.map((process) => ({cells: [
      {text: String(process.pid), order: process.pid}, cell.size(process.peak_bytes), cell.time(process.peak_at_ns),
      process.rss_bytes ? cell.size(process.rss_bytes) : cell.none(), cell.time(process.begin_ns),
      process.end_ns === null ? {text: 'alive', order: Infinity} : cell.time(process.end_ns),
      {text: process.command, node: el('span', {class: 'path'}, process.command)}]}));
    return section(`processes${load.name}`, titled('Processes', load), table(
        [{title: 'pid', isNumber: true}, {title: 'peak', isNumber: true}, {title: 'at', isNumber: true},
         {title: 'VmHWM', isNumber: true, hint: 'the kernel’s own mark of resident memory'},
         {title: 'begin', isNumber: true}, {title: 'end', isNumber: true}, {title: 'command'}],
        rows, {limit: 12, narrow: 'name-last'}), shortage(rows.length, load.data.process_count, 'processes'));
  },

  all(load) {
    return [details.lanes(load), details.phases(load), details.files(load), details.processes(load)];
  },

  warnings(list) {
    return list.map((text) => el('p', {class: 'warning', role: 'alert'}, text));
  },

  /** A long one (Java's class path) is folded to its ends: it filled the first screens of a phone. */
  command(text) {
    const LONGEST = 240;
    const SIDE = 90;
    const characters = [...text];
    if (characters.length <= LONGEST) {
      return el('p', {class: 'command'}, text);
    }
    const sides = [characters.slice(0, SIDE), characters.slice(-SIDE)].map((side) => side.join(''));
    return el('details', {class: 'command'}, el('summary', {}, sides.join(' … ')), text);
  },

  facts(load) {
    const refusals = load.data.refusals;
    return el('div', {class: 'facts'},
        load.name ? el('strong', {}, load.name) : null,
        details.command(load.data.command), el('p', {class: 'soft'}, load.data.outcome),
        refusals ? el('p', {class: 'warning'}, refusals) : null);
  },

  footer(loads) {
    return el('footer', {}, loads.flatMap((load) => [
      el('p', {},
          `${load.name ? `${load.name}: ` : ''}lost: ${load.data.lost}. Recording cost ${load.data.overhead}.`),
      el('ul', {}, load.data.unrecorded.map((line) => el('li', {}, `not recorded: ${line}`)))]));
  },
};

function titled(title, load) {
  return load.name ? `${title}, ${load.name}` : title;
}

/** Says so where a page does not list all. */
function shortage(listed, all, what) {
  return listed < all ? el('p', {class: 'soft'}, `${units.count(all - listed)} more ${what} are in the trace.`) : null;
}
