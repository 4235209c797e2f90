import { Page } from '../ui/page.tsx';

export function EnvList() {
  return <Page title="Envs">Nothing yet.</Page>;
}
