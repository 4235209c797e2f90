// Runs the `deploy` of a module where only what the web defines exists, as in Deno or a worker: no process, no Buffer, no `node:`.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createContext, SourceTextModule } from 'node:vm';

const [file, given, kind] = process.argv.slice(2);
const names =
  'AbortController AbortSignal Headers Request Response TextDecoder TextDecoderStream TextEncoder URL URLSearchParams ReadableStream clearTimeout setTimeout crypto fetch performance'.split(
    ' ',
  );
const context = createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
const resolve = createRequire(file).resolve;
const modules = new Map();

async function load(path) {
  const known = modules.get(path);
  if (known) return known;
  const module = new SourceTextModule(await readFile(path, 'utf8'), { context, identifier: path });
  modules.set(path, module);
  return module;
}

const module = await load(file);
await module.link((name) => load(resolve(name)));
await module.evaluate();
const lines = [];
const state = await module.namespace.deploy({ ...JSON.parse(given), say: (line) => lines.push(line) }, kind);
process.stdout.write(JSON.stringify({ state, log: lines.join('\n') }));
