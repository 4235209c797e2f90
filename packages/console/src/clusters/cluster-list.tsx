import { Page } from '../shell/page.tsx';

export function ClusterList() {
  return <Page title="Clusters">Nothing yet.</Page>;
}
