import { Page } from '../shell/page.tsx';

export function ClusterPage() {
  return <Page title="Cluster">Nothing yet.</Page>;
}
