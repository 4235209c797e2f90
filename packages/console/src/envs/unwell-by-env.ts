interface UnwellPage {
  items: readonly { env_id: string }[];
  num_total: number;
}

/** How many deployments of each env need attention, by the first page of all that do; `3+` if there are more than one page. */
export function unwellByEnv(page: UnwellPage | undefined): ReadonlyMap<string, string> {
  const { items, num_total } = page ?? { items: [], num_total: 0 };
  const counts = Map.groupBy(items, ({ env_id }) => env_id);
  const more = num_total > items.length ? '+' : '';
  return new Map([...counts].map(([env, rows]) => [env, `${rows.length}${more}`]));
}
