import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pageOf } from '../../api/reads.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { VersionPick } from '../draft/version-pick.tsx';
import { StepLink } from './step-links.tsx';

/** Chooses a version. The newest one that can be deployed is preselected. */
export function VersionStep({ kindId, chartId }: { kindId: string; chartId: string | null }) {
  const newest = useQuery(pageOf('chartVersions', { kind_id: kindId, page: 1, per_page: 100 }));
  const [picked, setPicked] = useState(chartId);
  return (
    <Reading of={newest} rows={2}>
      {({ items }) => {
        const chosen = picked ?? items.find(({ has_error, available }) => available && !has_error)?.id ?? null;
        if (items.length === 0) {
          return (
            <div className="panel">
              <Empty title="No versions">Push a chart of this kind to its registry.</Empty>
            </div>
          );
        }
        return (
          <div className="name-step">
            {chosen === null && (
              <p className="notice warn">No version of this kind can be deployed: each has an error.</p>
            )}
            <VersionPick kindId={kindId} chartId={chosen} onChange={setPicked} />
            {chosen !== null && (
              <StepLink step="cluster" set={{ chart: chosen }} className="button primary">
                Continue
              </StepLink>
            )}
          </div>
        );
      }}
    </Reading>
  );
}
