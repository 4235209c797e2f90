import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export interface FakeRegistryOptions {
  repositories: number;
  tags: number;
  /** Different packages in each repository. */
  packages: number;
  /** How many entries the index of the chart repository has. */
  entries: number;
}

export interface FakeRegistry extends AsyncDisposable {
  readonly origin: string;
  counts(): Promise<Counts>;
  /** Returns the digest of the tag. */
  push(repository: string, tag: string): Promise<string>;
}

/** The requests so far, the size of the index, the seconds in which it was last read, and the digest of what was pushed. */
const Counts = z.object({
  requests: z.number(),
  indexBytes: z.number(),
  indexSeconds: z.number(),
  digest: z.string().optional(),
});
type Counts = z.infer<typeof Counts>;
const Started = z.object({ port: z.number() });

/** In a process of its own, so that its work is not counted. */
export async function startFakeRegistry({
  repositories,
  tags,
  packages,
  entries,
}: FakeRegistryOptions): Promise<FakeRegistry> {
  const main = fileURLToPath(new URL('fake-registry-main.ts', import.meta.url));
  const child = fork(main, [repositories, tags, packages, entries].map(String));
  const exited = once(child, 'exit');
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      exited.then(() => Promise.reject(new Error('the registry has ended'))),
    ]);
    return message;
  };
  const { port } = Started.parse(await answer());

  const ask = (message: object): Promise<Counts> => {
    const answered = answer();
    child.send(message);
    return answered.then((counts) => Counts.parse(counts));
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    counts: () => ask({}),
    push: async (repository, tag) => (await ask({ repository, tag })).digest ?? '',
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
