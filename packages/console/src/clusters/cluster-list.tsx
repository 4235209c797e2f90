import { Page } from '../ui/page.tsx';

export function ClusterList() {
  return <Page title="Clusters">Nothing yet.</Page>;
}
