import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const workload = fileURLToPath(new URL('./workload.mjs', import.meta.url));
const Answers = z.array(z.object({ status: z.number(), body: z.unknown() }));

/**
 * A stand-in for a container of the deployment, on a machine without a kubelet: the data of the Secret are files in a folder, as
 * if mounted; a separate process reads them and sends the requests. It has no other knowledge of the platform.
 */
export async function inWorkload(
  data: Record<string, string>,
  requests: readonly string[],
): Promise<z.infer<typeof Answers>> {
  const mounted = await mkdtemp(join(tmpdir(), 'berth-mounted-'));
  try {
    for (const [key, value] of Object.entries(data)) {
      await writeFile(join(mounted, key), Buffer.from(value, 'base64'), { mode: 0o600 });
    }
    const { stdout } = await promisify(execFile)(process.execPath, [workload, mounted, ...requests], { env: {} });
    return Answers.parse(JSON.parse(stdout));
  } finally {
    await rm(mounted, { recursive: true, force: true });
  }
}
