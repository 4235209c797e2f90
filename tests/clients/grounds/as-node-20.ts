/** What newer Nodes have of the language, and Node 20 has not. */
const newerThanNode20 = [
  'Map.groupBy',
  'Object.groupBy',
  'Promise.withResolvers',
  'Promise.try',
  'Array.fromAsync',
  'RegExp.escape',
  'globalThis.Iterator',
  'Set.prototype.union',
  'Uint8Array.fromBase64',
  'Error.isError',
  'URL.parse',
];
/** Arguments of Node with which it lacks them. */
export const asNode20 = [
  '--import',
  `data:text/javascript,${newerThanNode20.map((name) => `delete ${name};`).join('')}`,
];
