import type { Input } from '@berth/chart-extensions/form/input';
import type { JsonValue } from '@berth/client';
import { type QueryKey, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use, useState } from 'react';
import { useClusters, useKinds } from '../api/names.ts';
import { Pick } from '../ui/inputs/pick.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { type Items, type ItemsWanted, readItems, tableOfItems } from './collection-items.ts';
import type { ControlProps } from './control.ts';
import { wordsOf } from './errors.ts';

/** The env whose items a form offers; null until a cluster is chosen. */
export const FormEnv = createContext<string | null>(null);

const searchMs = 200;

type Asked = { collection?: Input['collection']; filters?: Input['filters'] };

/** Reads the items of a collection. Inputs with the same collection share one read. */
function itemsQuery(
  { collection = '', filters = [] }: Asked,
  wanted: Omit<ItemsWanted, 'filters' | 'signal' | 'envId'> & { envId: string | null },
) {
  const { envId, search } = wanted;
  const queryKey: QueryKey = [tableOfItems(collection), 'items', collection, filters, envId, search];
  return queryOptions({
    queryKey,
    queryFn: ({ signal }): Promise<Items> => readItems(collection, { ...wanted, envId: envId ?? '', filters, signal }),
    enabled: envId !== null && wanted.kinds.size > 0,
  });
}

/** Chooses an item of a collection by its name. */
export function CollectionValue(props: ControlProps) {
  const { input, label, name, help, value, onChange, errors, isDisabled } = props;
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchMs);
  const names = { kinds: useKinds(), clusters: useClusters() };
  const envId = use(FormEnv);
  const first = useQuery(itemsQuery(input, { ...names, envId, search: '' }));
  // Only a list that is incomplete needs a search by the server.
  const isCut = first.data !== undefined && first.data.total > first.data.items.length;
  const searched = useQuery({
    ...itemsQuery(input, { ...names, envId, search }),
    enabled: isCut && search !== '',
    placeholderData: keepPreviousData,
  });
  const found = isCut && search !== '' ? (searched.data ?? first.data) : first.data;
  const items = found?.items ?? [];
  const id = typeof value === 'string' ? value.toLowerCase() : null;
  const known = id === null ? undefined : [...items, ...(first.data?.items ?? [])].find((item) => item.id === id);
  // An item beyond the first page of a long list, or one that is gone, has no name here.
  const shown =
    id === null ? null : (known?.words ?? (first.data ? `${id.slice(0, 8)}, not among those offered` : id.slice(0, 8)));
  const more = (found?.total ?? 0) - items.length;
  return (
    <Pick
      label={label}
      aria-label={name}
      options={items}
      value={id}
      shown={shown}
      onChange={(next) => onChange(next ?? undefined)}
      onSearch={setTyped}
      none={input.required ? undefined : 'None'}
      foot={footOf({ isLoading: first.isLoading, failed: first.error !== null, more, hasEnv: envId !== null })}
      help={help}
      error={wordsOf(errors)}
      isRequired={input.required}
      isDisabled={isDisabled}
    />
  );
}

/** The name of the item that a value refers to. */
export function ItemName({ input, value }: { input: Input; value: JsonValue | undefined }) {
  const names = { kinds: useKinds(), clusters: useClusters() };
  const { data } = useQuery(itemsQuery(input, { ...names, envId: use(FormEnv), search: '' }));
  const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
  if (ids.length === 0) return 'empty';
  return ids.map((id) => data?.items.find((item) => item.id === id)?.words ?? id.slice(0, 8)).join(', ');
}

interface Foot {
  isLoading: boolean;
  failed: boolean;
  more: number;
  hasEnv: boolean;
}

function footOf({ isLoading, failed, more, hasEnv }: Foot): string | undefined {
  if (!hasEnv) return 'Choose a cluster first: its env decides what is offered.';
  if (failed) return 'They cannot be read now.';
  if (isLoading) return 'Reading…';
  return more > 0 ? `${more.toLocaleString()} more: search for them by name.` : undefined;
}
