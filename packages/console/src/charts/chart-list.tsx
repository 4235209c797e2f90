import { useMay } from '../api/me.ts';
import { choicesIn, useKinds } from '../api/names.ts';
import type { ListQuery } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { Choose } from '../ui/inputs/choose.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Registries } from './registries/registries.tsx';
import { RunningVersions } from './running-versions.tsx';
import { TagFormats } from './tag-formats.tsx';
import { Versions } from './versions.tsx';
import './charts.css';

/** The charts that can be deployed, where they come from, and how their tags are read. */
export function ChartList() {
  const [address, change] = useAddress();
  const kinds = useKinds();
  const isAdmin = useMay()('helmTagFormats', 'create').allowed;
  const { kind, branch, env } = address;
  const withGone = address['gone'] === 'true';
  const query: ListQuery<'chartVersions'> = {
    ...(kind && { kind_id: kind }),
    ...(branch && { parsed_branch: branch }),
    ...(!withGone && { available: true }),
  };
  return (
    <Page title="Charts">
      <div className="filters" role="search" aria-label="Filters of charts">
        <Choose
          label="Kind"
          inline
          none="Any kind"
          choices={choicesIn(kinds)}
          value={kind ?? null}
          onChange={(next) => change({ kind: next })}
        />
        <FilterByText label="Branch" value={branch ?? ''} onChange={(next) => change({ branch: next })} />
        <ToggleButton className="button" isSelected={withGone} onChange={(on) => change({ gone: on ? 'true' : null })}>
          Include those that are gone
        </ToggleButton>
      </div>
      <div className="columns">
        <Versions query={query} isFiltered={Boolean(kind ?? branch)} />
        <div>
          {kind && <RunningVersions kind={kind} env={env} />}
          <Registries />
          <TagFormats mayChange={isAdmin} />
        </div>
      </div>
    </Page>
  );
}
