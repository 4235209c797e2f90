import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ensureCertificates } from '../servers/kubernetes/certificates.ts';
import { startForTest } from '../testing/with-servers.ts';

const run = promisify(execFile);

test('a server is trusted if the machine trusts its authority', async () => {
  const { stateFolder } = await startForTest();
  const { server: files, authority } = await ensureCertificates(stateFolder);
  const server = createServer({ cert: await readFile(files.certificate), key: await readFile(files.key) });
  server.on('request', (_request, response) => response.end('content')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const request = {
    url: `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    sha256: createHash('sha256').update('content').digest('hex'),
    file: join(stateFolder, 'loaded'),
  };
  const script = join(stateFolder, 'load.ts');
  const entry = new URL('./download.ts', import.meta.url).href;
  await writeFile(
    script,
    `import { download } from ${JSON.stringify(entry)};
     await download(${JSON.stringify(request)}, () => {}, AbortSignal.timeout(10_000));`,
  );

  // A process reads the machine's authorities once, from here.
  await run(process.execPath, [script], { env: { SSL_CERT_FILE: authority } });

  expect(await readFile(request.file, 'utf8')).toBe('content');
  await expect(run(process.execPath, [script], { env: {} })).rejects.toThrow('unable to verify');
});
