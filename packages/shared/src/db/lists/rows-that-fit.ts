/** How many of the first rows fit into so many bytes as JSON; at least one, so that a list always advances. */
export function rowsThatFit(rows: readonly unknown[], maxBytes: number): number {
  let bytes = 0;
  const beyond = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return index > 0 && bytes > maxBytes;
  });
  return beyond === -1 ? rows.length : beyond;
}
