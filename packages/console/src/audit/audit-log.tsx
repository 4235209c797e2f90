import { Page } from '../shell/page.tsx';

export function AuditLog() {
  return <Page title="Audit log">Nothing yet.</Page>;
}
