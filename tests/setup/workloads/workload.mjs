// Uses service-creds like a pod: `node workload.mjs <mount path> 'GET /auth/me' 'POST /envs {"name":"x"}' …`
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const [mounted = '', ...requests] = process.argv.slice(2);
const mountedText = async (key) => (await readFile(join(mounted, key), 'utf8')).trim();

const answers = [];
for (const request of requests) {
  const [method = '', path = '', ...rest] = request.split(' ');
  const response = await fetch(`${await mountedText('server_url')}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${await mountedText('access_token')}`, 'content-type': 'application/json' },
    ...(rest.length > 0 && { body: rest.join(' ') }),
  });
  answers.push({ status: response.status, body: await response.json() });
}
console.log(JSON.stringify(answers));
