import { EgressRefused } from '@berth/egress/egress-errors';
import { openKubeApi } from '@berth/kube/kube-api';
import { createDeploymentClient } from '../../src/calls/deployment-client.ts';

/** Sends one request as one of the clients and prints what came of it. Names are found where `NAMES` says, and nowhere else. */
const [client = '', target = ''] = process.argv.slice(2);
const url = new URL(target);
const names = new URLSearchParams(process.env['NAMES'] ?? '');
const signal = AbortSignal.timeout(10_000);

const resolve = async (name: string) => {
  const address = names.get(name);
  if (address === null) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  return [{ address, family: 4 }];
};

const clients: Record<string, () => Promise<unknown>> = {
  async call() {
    const allowAddresses = (process.env['ALLOWED'] ?? '').split(',').filter(Boolean);
    using calls = createDeploymentClient({ port: Number(url.port), allowAddresses, resolve });
    const call = { host: url.hostname, path: '/', method: 'GET' as const, token: 'a.b.c' };
    return (await calls.call(call, { timeoutMs: Number(process.env['CALL_MS'] ?? 5_000), maxBytes: 1_000, signal }))
      .text;
  },
  async cluster() {
    using api = openKubeApi({ server: url.href, ca: null, token: null, certificate: null });
    return await api.getText('/', { signal, deadlineMs: 5_000 });
  },
  fetch: async () => await (await fetch(url, { signal })).text(),
};

const outcome = await clients[client]?.().catch((error: unknown) => {
  const isWorded = error instanceof EgressRefused || (error instanceof Error && error.name === 'CallFailed');
  return `failed: ${isWorded ? error.message : String(error)}`;
});
console.log(`answer: ${String(outcome)}`);
