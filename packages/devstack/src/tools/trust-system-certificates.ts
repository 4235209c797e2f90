import { getCACertificates, setDefaultCACertificates } from 'node:tls';

let isDone = false;

/** Node trusts its own list only; networks that look into TLS have their authority in the machine's, as Go and npm use it. */
export function trustSystemCertificates(): void {
  if (isDone) return;
  isDone = true;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
