/** The row with the fields that a request sets; absent fields stay. */
export function applyGiven<Row extends object>(
  row: Row,
  given: { readonly [Field in keyof Row]?: Row[Field] | undefined },
): Row {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...row, ...Object.fromEntries(fields) };
}
