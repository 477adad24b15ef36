/** The page's data: JSON, deflated, in base64. */
async function readData() {
  const text = atob(document.getElementById('data').textContent);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(inflated).json();
}

/** Builds the page from the data that it carries, in place of what stands there for browsers that cannot. */
async function build() {
  if (!('DecompressionStream' in window)) {
    document.getElementById('too-old').hidden = false;
    return;
  }
  const data = await readData();
  laneTable.read(data.lanes);
  const parts = data.kind === 'diff' ? diffPage(data) : reportPage(data);
  document.getElementById('page').replaceChildren(...parts.flat(2).filter(Boolean));
}

const built = build();
