import { Page } from '../shell/page.tsx';

export function EnvList() {
  return <Page title="Envs">Nothing yet.</Page>;
}
