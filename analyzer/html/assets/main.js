/** Builds the page from the data that it carries. */
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  laneTable.read(data.lanes);
  const parts = data.kind === 'diff' ? diffPage(data) : reportPage(data);
  document.getElementById('page').replaceChildren(...parts.flat(2).filter(Boolean));
})();
