import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { oneOf } from '../../api/reads.ts';
import { ChangeScreen } from './change-screen.tsx';
import { PageOf } from '../../shell/page-of.tsx';

export function ChangePage() {
  const { id } = useParams({ from: '/inside/deployments/$id/change' });
  const deployment = useQuery(oneOf('deployments', id));
  return (
    <PageOf of={deployment} title="Change a deployment" crumbs={[{ words: 'Deployments', to: '/deployments' }]}>
      {(fresh) => <ChangeScreen key={id} fresh={fresh} />}
    </PageOf>
  );
}
