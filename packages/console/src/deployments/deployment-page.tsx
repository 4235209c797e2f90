import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { nameIn, useKinds } from '../api/names.ts';
import { oneOf } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { State } from '../ui/state.tsx';
import { deploymentState } from './deployment-state.ts';

export function DeploymentPage() {
  const { id } = useParams({ from: '/inside/deployments/$id/{-$tab}' });
  const deployment = useQuery(oneOf('deployments', id));
  const kinds = useKinds();
  return (
    <Reading of={deployment}>
      {({ row }) => (
        <Page
          title={`${nameIn(kinds, row.kind_id)} / ${row.name}`}
          crumbs={[{ words: 'Deployments', to: '/deployments' }]}
          state={<State {...deploymentState(row)} />}
        >
          <p>{row.reason}</p>
        </Page>
      )}
    </Reading>
  );
}
