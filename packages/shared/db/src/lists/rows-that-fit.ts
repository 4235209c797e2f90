/** How many of the first rows fit into `maxBytes` as JSON; at least one, so that a list always advances. */
export function rowsThatFit(rows: readonly unknown[], maxBytes: number): number {
  // Most pages are far below the limit, which is cheaper to find out than writing them.
  if (rows.every(isSmall) && rows.length * smallBytes <= maxBytes) return rows.length;
  let bytes = 0;
  const beyond = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return index > 0 && bytes > maxBytes;
  });
  return beyond === -1 ? rows.length : beyond;
}

const smallBytes = 24 * 1024;
/** A UTF-16 unit takes up to six bytes in JSON. */
const bytesOfUnit = 6;
/** An upper bound for a number, a boolean or null. */
const bytesOfOther = 32;

/** Whether a row of scalar values certainly takes at most `smallBytes`; false if it holds an object. */
function isSmall(row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false;
  let bytes = 0;
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'object' && value !== null) return false;
    bytes += bytesOfUnit * name.length + (typeof value === 'string' ? bytesOfUnit * value.length : 0) + bytesOfOther;
    if (bytes > smallBytes) return false;
  }
  return true;
}
