import { Page } from '../ui/page.tsx';

export function ClusterPage() {
  return <Page title="Cluster">Nothing yet.</Page>;
}
