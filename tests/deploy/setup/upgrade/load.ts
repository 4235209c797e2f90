import { type Answer, type Client, everyItem, type Problem, type Success } from '@berth/client';
import { pause } from '@berth/service/waiting/pause';

export interface Load {
  /** Stops it and returns its results. */
  stop(): Promise<Outcome>;
}

interface Outcome {
  readonly answered: number;
  readonly created: readonly Created[];
  readonly failed: readonly string[];
  /** Requests that an overloaded process refused before starting them, and that were repeated. */
  readonly shed: readonly string[];
}

interface Created {
  /** The name of a row, prefixed with its kind. */
  readonly name: string;
  readonly id: string;
}

interface LoadStart {
  readonly api: Client;
  readonly env: string;
  /** A unique prefix for the names that this load creates. */
  readonly name: string;
  /** The current step, reported with a failed request. */
  readonly meanwhile: () => string;
}

const pauseMs = 100;
type Send<T> = (api: Client, env_id: string, name: string) => Promise<Answer<T>>;
/** Reads of unchanging rows in every service, and creations in two of them. */
const reads: Send<unknown>[] = [
  (api) => api.deployments.list({ query: {} }),
  (api) => api.k8sClusters.list({ query: {} }),
  (api) => api.helmCharts.list({ query: {} }),
  (api) => api.envs.list({ query: {} }),
  (api, env) => api.envs.get({ id: env }),
];
const creations: Record<string, Send<{ id: string }>> = {
  secret: (api, env_id, name) =>
    api.secrets.create({ body: { env_id, collection: 'under load', name, contents: 'something' } }),
  bot: (api, _env, name) => api.bots.create({ body: { display_name: name } }),
};

/** Why a successful answer is wrong. */
type Judge<T> = (answer: Success<T>, n: number) => string | undefined;

const inWords = ({ request, status, detail }: Problem) => `${request}: ${status} ${detail}`;
const isShed = ({ status, detail }: Problem) => status === 503 && detail.startsWith('The server is overloaded');

/** Sends requests until it is stopped, one of each kind at a time. */
export function startLoad({ api, env, name, meanwhile }: LoadStart): Load {
  const ending = new AbortController();
  const failed: string[] = [];
  const shed: string[] = [];
  let answered = 0;
  const noted = (started: string, words: string) => `${new Date().toISOString()} (${started}) ${words}`;

  async function send<T>(one: Send<T>, n: number): Promise<Answer<T>> {
    const started = meanwhile();
    const answer = await one(api, env, `${name}-${n}`);
    if (answer.ok || !isShed(answer.problem)) return answer;
    shed.push(noted(started, inWords(answer.problem)));
    await pause(answer.problem.retryAfterMs ?? pauseMs, ending.signal);
    return one(api, env, `${name}-${n}`);
  }

  async function repeat<T>(one: Send<T>, judge: Judge<T>): Promise<void> {
    for (let n = 0; !ending.signal.aborted; n += 1) {
      const started = meanwhile();
      const answer = await send(one, n);
      if (answer.ok) answered += 1;
      const wrong = answer.ok ? judge(answer, n) : inWords(answer.problem);
      if (wrong !== undefined) failed.push(noted(started, wrong));
      await pause(pauseMs, ending.signal);
    }
  }

  const created: Created[] = [];
  const running = [
    ...reads.map((one) => repeat(one, hasSameTag())),
    ...Object.entries(creations).map(([sort, one]) =>
      repeat(one, ({ value: { id } }, n) => {
        created.push({ name: `${sort} ${name}-${n}`, id });
        return undefined;
      }),
    ),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(running);
      return { answered, created, failed, shed };
    },
  };
}

/** An unchanged row keeps its tag in every version of a service. */
function hasSameTag(): Judge<unknown> {
  let first: string | null | undefined;
  return ({ etag }) => {
    if (first === undefined) first = etag;
    return etag === first ? undefined : `the ETag of a row that did not change was ${first}, and is ${etag}`;
  };
}

/** How many rows there are of each name; two mean that a request ran twice. */
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
