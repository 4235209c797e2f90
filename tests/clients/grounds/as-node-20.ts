/** Features of the language that newer versions of Node have and Node 20 lacks. */
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
/** Arguments with which Node runs without them. */
export const asNode20 = [
  '--import',
  `data:text/javascript,${newerThanNode20.map((name) => `delete ${name};`).join('')}`,
];
