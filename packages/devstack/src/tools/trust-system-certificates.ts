import { getCACertificates, setDefaultCACertificates } from 'node:tls';

let isDone = false;

/** Node trusts only its own list. Networks that intercept TLS add their authority to the machine's list, which Go and npm use. */
export function trustSystemCertificates(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
