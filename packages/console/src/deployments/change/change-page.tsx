import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { oneOf } from '../../api/reads.ts';
import { Reading } from '../../ui/reading/reading.tsx';
import { ChangeScreen } from './change-screen.tsx';

export function ChangePage() {
  const { id } = useParams({ from: '/inside/deployments/$id/change' });
  const deployment = useQuery(oneOf('deployments', id));
  return <Reading of={deployment}>{(fresh) => <ChangeScreen key={id} fresh={fresh} />}</Reading>;
}
