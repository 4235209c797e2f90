import { type Answer, type Client, everyItem, type Problem } from '@berth/client';
import { pause } from '@berth/shared/waiting/pause';

export interface Load {
  /** Ends it, and answers with what it did. */
  stop(): Promise<Outcome>;
}

export interface Outcome {
  readonly answered: number;
  readonly created: number;
  readonly failed: readonly string[];
  /** How often a process without CPU refused a request at once, which was made again: nothing of it had begun. */
  readonly shed: number;
}

interface LoadStart {
  readonly api: Client;
  readonly env: string;
  /** Begins the names of what is created, which no other load has. */
  readonly name: string;
  /** What happens while a request is made, to be said with one that fails. */
  readonly meanwhile: () => string;
}

const pauseMs = 100;
type Send = (api: Client, env_id: string, name: string) => Promise<Answer<unknown>>;
/** To every service: reads, and creations in two of them. */
const reads: Send[] = [
  (api) => api.deployments.list({ query: {} }),
  (api) => api.k8sClusters.list({ query: {} }),
  (api) => api.helmCharts.list({ query: {} }),
  (api) => api.envs.list({ query: {} }),
];
const creations: Send[] = [
  (api, env_id, name) =>
    api.secrets.create({ body: { env_id, collection: 'under load', name, contents: 'something' } }),
  (api, _env, name) => api.bots.create({ body: { display_name: name } }),
];

const isShed = ({ status, detail }: Problem) => status === 503 && detail.startsWith('The server is overloaded');

/** Constant requests until it is stopped, one of each kind at a time. */
export function startLoad({ api, env, name, meanwhile }: LoadStart): Load {
  const ending = new AbortController();
  const failed: string[] = [];
  let shed = 0;
  const repeat = async (send: Send) => {
    let succeeded = 0;
    for (let n = 0; !ending.signal.aborted; n += 1) {
      const started = meanwhile();
      const answer = await send(api, env, `${name}-${n}`);
      if (answer.ok) succeeded += 1;
      else if (isShed(answer.problem)) {
        shed += 1;
        n -= 1;
        await pause(answer.problem.retryAfterMs ?? pauseMs, ending.signal);
      } else {
        const { request: what, status, detail } = answer.problem;
        failed.push(`${new Date().toISOString()} (${started}) ${what}: ${status} ${detail}`);
      }
      await pause(pauseMs, ending.signal);
    }
    return succeeded;
  };
  const sum = async (counts: Promise<number>[]) => (await Promise.all(counts)).reduce((a, b) => a + b, 0);
  const running = { read: reads.map(repeat), created: creations.map(repeat) };
  return {
    async stop() {
      ending.abort();
      const created = await sum(running.created);
      return { answered: created + (await sum(running.read)), created, failed, shed };
    },
  };
}

/** How often each name was created by a load: one that is there twice was created twice. */
export async function timesCreated(api: Client, env_id: string, name: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const count = (found: string) => times.set(found, (times.get(found) ?? 0) + 1);
  for await (const bot of everyItem((after) => api.bots.list({ query: { display_name: `${name}-`, after } }))) {
    count(`bot ${bot.display_name}`);
  }
  const query = { env_id, collection: 'under load' };
  for await (const secret of everyItem((after) => api.secrets.list({ query: { ...query, after } }))) {
    if (secret.name.startsWith(`${name}-`)) count(`secret ${secret.name}`);
  }
  return times;
}
