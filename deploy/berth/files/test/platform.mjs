// What `helm test` does: calls the platform as its clients do, through every part. It says what failed, and ends with 1 then.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const { BERTH_URL, BERTH_OWN_URL, TOKEN_FILE } = process.env;
const token = TOKEN_FILE === undefined ? undefined : readFileSync(TOKEN_FILE, 'utf8').trim();

/** By `fetch`, a name other than that of the Service could not be compared with the certificate. */
const get = (path, headers = {}) =>
  new Promise((resolve, reject) => {
    const url = new URL(path, BERTH_URL);
    const options = { headers, signal: AbortSignal.timeout(10_000) };
    if (BERTH_OWN_URL !== undefined) options.servername = new URL(BERTH_OWN_URL).hostname;
    const { get: send } = url.protocol === 'https:' ? https : http;
    send(url, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject);
  });

async function expectStatus(path, wanted, headers) {
  const { status, body } = await get(path, headers);
  if (status !== wanted) throw new Error(`GET ${path} answered ${status}, not ${wanted}: ${body.slice(0, 500)}`);
  console.log(`GET ${path}: ${status}`);
  return body;
}

async function untilReady() {
  const end = Date.now() + 120_000;
  for (;;) {
    const { status, body } = await get('/readyz').catch((error) => ({ status: 0, body: String(error) }));
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`The platform is not ready: ${body.slice(0, 500)}`);
    await sleep(1_000);
  }
}

await untilReady();
await expectStatus('/api/v2/server', 200);
await expectStatus('/.well-known/jwks.json', 200);
await expectStatus('/api/v2/envs', 401);
if (token === undefined) console.log('No token was given (tests.existingSecret): nothing behind the sign-in was tried');
else {
  const headers = { 'x-service-token': token };
  // One list of each owner.
  for (const path of ['/api/v2/envs', '/api/v2/deployments', '/api/v2/k8s-clusters', '/api/v2/helm-registries']) {
    await expectStatus(path, 200, headers);
  }
}
console.log('Berth works.');
