/** The row with the fields that a request gives; an absent one stays as it is. */
export function applyGiven<Row extends object>(
  row: Row,
  given: { readonly [Field in keyof Row]?: Row[Field] | undefined },
): Row {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...row, ...Object.fromEntries(fields) };
}
