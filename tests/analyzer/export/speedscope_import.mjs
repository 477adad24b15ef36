// Opens files with the importer of speedscope itself, out of its published page, and prints what it
// understood as JSON: for each file its profiles, each with its name, total weight and unit.
//
//   node speedscope_import.mjs FOLDER FILE...     (FOLDER: where npm put speedscope and jsdom)
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [folder, ...files] = process.argv.slice(2);
const { JSDOM, VirtualConsole } = createRequire(path.join(folder, 'package.json'))('jsdom');

// The page draws with WebGL, which is not there; nobody looks at the picture, so its complaints go
// nowhere.
const { window } = new JSDOM('<!doctype html><body></body>', {
  url: 'http://localhost/',
  runScripts: 'outside-only',
  pretendToBeVisual: true,
  virtualConsole: new VirtualConsole(),
});
window.TextDecoder = TextDecoder;
window.TextEncoder = TextEncoder;
window.matchMedia = () => ({ matches: false, addListener() {}, addEventListener() {} });

// The importer is private to the page's script: hand it out.
const release = path.join(folder, 'node_modules/speedscope/dist/release');
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const source = fs.readFileSync(path.join(release, script), 'utf8');
const [, importer] = source.match(/loadFileFromBase64:\(\w+,\w+\)=>\{this\.loadProfile\(\(\)=>(\w+)\(/);
const end = source.lastIndexOf('})();');
window.eval(`${source.slice(0, end)};globalThis.importFile=${importer};${source.slice(end)}`);

const result = {};
for (const file of files) {
  const group = await window.importFile(path.basename(file), fs.readFileSync(file).toString('base64'));
  result[path.basename(file)] = group?.profiles.map((profile) => ({
    name: profile.getName(),
    weight: profile.getTotalWeight(),
    unit: profile.getWeightUnit(),
  }));
}
console.log(JSON.stringify(result));
process.exit(0);
