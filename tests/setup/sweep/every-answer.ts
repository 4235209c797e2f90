import { z } from 'zod';

/** A text, and where it was found. */
export interface Recorded {
  subject: string;
  text: string;
}

export interface Answers {
  /** Each answer with its headers, by route. */
  readonly answers: readonly Recorded[];
  /** The routes of the OpenAPI document that never answered 200. */
  readonly unanswered: readonly string[];
}

interface Caller {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const Page = z.object({ items: z.array(z.looseObject({ id: z.string().optional() })) });

/** How many rows of a list are also read one by one. */
const mostRows = 25;

/** Reads every GET route of the OpenAPI document: each list, and each route below the rows of that list. Streams are left out. */
export async function everyAnswer(caller: Caller): Promise<Answers> {
  const { paths } = Document.parse(JSON.parse((await read(caller, '/api/v2/openapi.json')).text));
  const routes = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
  const lists = routes.filter((path) => !path.includes('{') && path !== '/api/v2/events');
  const answers: Recorded[] = [];
  const answered = new Set<string>();

  async function visit(route: string, path: string): Promise<string> {
    const { status, text, head } = await read(caller, path);
    answers.push({ subject: `GET ${route}`, text: `${head}\n${text}` });
    if (status === 200) answered.add(route);
    return status === 200 ? text : '';
  }

  for (const list of lists) {
    const page = Page.safeParse(jsonOf(await visit(list, list)));
    const ids = page.success ? page.data.items.flatMap(({ id }) => id ?? []).slice(0, mostRows) : [];
    for (const route of routes.filter((path) => path.startsWith(`${list}/{id}`))) {
      await Promise.all(ids.map((id) => visit(route, route.replace('{id}', id))));
    }
  }
  return { answers, unanswered: routes.filter((route) => !answered.has(route)) };
}

async function read({ url, headers }: Caller, path: string) {
  const response = await fetch(new URL(path, url), {
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  });
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status: response.status, head, text: await response.text() };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Follows all events that the caller may see, until the signal aborts. */
export async function recordEvents({ url, headers }: Caller, recorded: Recorded[], signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(new URL('/api/v2/events', url), { headers, signal });
    const decoder = new TextDecoder();
    const event = { subject: 'GET /api/v2/events', text: '' };
    recorded.push(event);
    for await (const piece of response.body ?? []) event.text += decoder.decode(piece, { stream: true });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
