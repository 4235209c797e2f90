import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const Manifests = z.tuple([z.object({ Config: z.string() })]);
const Config = z.object({ config: z.object({ User: z.string(), Labels: z.record(z.string(), z.string()) }) });

export interface ImageConfig {
  readonly title: string;
  readonly version: string;
  /** The commit from which it was built, and the commit's time. */
  readonly revision: string;
  readonly created: Date;
  readonly user: string;
}

/** The configuration of the image in a `docker load` archive. */
export async function imageConfig(archive: string): Promise<ImageConfig> {
  const read = async (name: string): Promise<unknown> => {
    const args = ['--extract', '--to-stdout', '--file', archive, name];
    return JSON.parse((await run('tar', args, { timeout: 60_000 })).stdout);
  };
  const [manifest] = Manifests.parse(await read('manifest.json'));
  const { User: user, Labels } = Config.parse(await read(manifest.Config)).config;
  const label = (name: string) => Labels[`org.opencontainers.image.${name}`] ?? '';
  return {
    title: label('title'),
    version: label('version'),
    revision: label('revision'),
    created: new Date(label('created')),
    user,
  };
}
