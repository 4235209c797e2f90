import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pageOf, type Row } from '../../api/reads.ts';
import { spanOf, useNow } from '../../ui/age.tsx';
import { Pick, type PickOption } from '../../ui/inputs/pick.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { versionOf } from './draft.ts';

interface VersionPickProps {
  kindId: string;
  /** The chart that is chosen. */
  chartId: string | null;
  /** The chart that the deployment has; named if another one is chosen. */
  present?: string | undefined;
  onChange: (id: string) => void;
  isDisabled?: boolean;
}

const perPage = 100;
const searchMs = 200;

/** Chooses a version of a chart, newest first. The newest hundred are listed, and others are found by their branch. */
export function VersionPick({ kindId, chartId, present, onChange, isDisabled = false }: VersionPickProps) {
  const [typed, setTyped] = useState('');
  const branch = useDebounced(typed.trim(), searchMs);
  const now = useNow();
  const newest = useQuery(pageOf('chartVersions', { kind_id: kindId, page: 1, per_page: perPage }));
  const isCut = newest.data !== undefined && newest.data.num_total > newest.data.items.length;
  const ofBranch = useQuery({
    ...pageOf('chartVersions', { kind_id: kindId, parsed_branch: branch, page: 1, per_page: perPage }),
    enabled: isCut && branch !== '',
    placeholderData: keepPreviousData,
  });
  const ids = [chartId, present].filter((id): id is string => typeof id === 'string' && id !== '');
  const chosen = useQuery({ ...pageOf('chartVersions', { ids, per_page: perPage }), enabled: ids.length > 0 });
  const rows = new Map(
    [newest, ofBranch, chosen].flatMap(({ data }) => data?.items ?? []).map((row) => [row.id, row] as const),
  );
  const sorted = [...rows.values()].toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const shown = chartId === null ? undefined : rows.get(chartId);
  const was = present !== undefined && present !== chartId ? rows.get(present) : undefined;
  return (
    <div className="form-input">
      <Pick
        label="Version"
        options={sorted.map((row) => optionOf(row, now, row.id === present))}
        value={chartId}
        shown={
          shown ? [versionOf(shown), shown.parsed_branch].filter(Boolean).join(' · ') : (chartId?.slice(0, 8) ?? null)
        }
        onChange={(id) => id !== null && onChange(id)}
        onSearch={setTyped}
        foot={footOf(newest.isLoading, (newest.data?.num_total ?? 0) - (newest.data?.items.length ?? 0))}
        isDisabled={isDisabled}
      />
      {was && <p className="was">was {versionOf(was)}</p>}
    </div>
  );
}

function optionOf(row: Row<'chartVersions'>, now: number, isPresent: boolean): PickOption {
  const age = spanOf(now - Date.parse(row.created_at));
  const unless = row.has_error
    ? 'its extension files have errors'
    : row.available
      ? undefined
      : 'is no longer in the registry';
  const note = [row.parsed_branch, row.parsed_commit?.slice(0, 7), `${age} old`, isPresent && 'runs now'];
  return {
    id: row.id,
    words: versionOf(row),
    note: note.filter(Boolean).join(' · '),
    unless: isPresent ? undefined : unless,
  };
}

function footOf(isLoading: boolean, more: number): string | undefined {
  if (isLoading) return 'Reading…';
  return more > 0 ? `${more.toLocaleString()} older: search for them by their branch.` : undefined;
}
