import { type AnswerKind, answerLimits } from '@berth/kube/answer-limits';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPages } from '../src/kube/list-pages.ts';
import { splitList } from '../src/kube/split-list.ts';
import { watchEvents } from '../src/kube/watch-events.ts';
import { readLogPart } from '../src/live/pod-log/read-log-part.ts';
import { type Answer, type FakeApiServer, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

const mib = 2 ** 20;

let server: FakeApiServer;
let api: KubeApi;
beforeAll(async () => {
  server = await startFakeApiServer();
  api = openKubeApi(server.access);
});
afterAll(async () => {
  api?.[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

/** The server runs in this process too: it writes a piece in each turn. */
async function answer(text: string, response: Answer): Promise<void> {
  response.writeHead(200);
  const piece = 64 * 1024;
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  for (let at = 0; at < text.length && !closed.signal.aborted; at += piece) {
    if (!response.write(text.slice(at, at + piece))) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (!closed.signal.aborted) response.end();
}
const answerAll = (text: string) => {
  server.misbehave = (_, response) => {
    void answer(text, response);
    return true;
  };
};

const call = () => ({ signal: new AbortController().signal, deadlineMs: 30_000 });

const kinds = Object.keys(answerLimits).filter((kind): kind is AnswerKind => !kind.endsWith('page'));

test.for(kinds)(
  'the worst answers to a request for %s neither block the event loop nor fill the memory',
  async (kind) => {
    const inputs = worstJson(answerLimits[kind].bytes - 1_000);

    const faults = await faultsOf(
      forEachInput(inputs, (json) => {
        answerAll(json);
        return api.getJson('/hostile', { ...call(), answer: kind });
      }),
    );

    expect(faults).toEqual([]);
  },
);

const list = (head: string, items: string) => `{"metadata":{"resourceVersion":"1"},"x":${head},"items":[${items}]}`;

async function readPage(page: Buffer): Promise<void> {
  for (const item of (await splitList(page)).items) {
    expect(item).toBeDefined();
    await nextTurn();
  }
}

test('the worst pages of a list neither block the event loop nor fill the memory', async () => {
  const items = worstJson(2 * mib);
  const pages = Object.entries(worstJson(6 * mib)).flatMap(([input, json]): [string, string][] => [
    [`${input} before its items`, list(json, '0')],
    [`${input} behind its items`, `{"items":[0],"metadata":{"resourceVersion":"1"},"x":${json}}`],
    [`${input} in one item`, list('0', json)],
    [`${input} in many items`, list('0', Array(3).fill(items[input]).join(','))],
  ]);
  const bytes = new Map(pages.map(([input, page]) => [input, Buffer.from(page)]));

  const works = [...bytes].map(([input, page]) => [input, () => readPage(page)] as const);

  expect(await faultsOf(Object.fromEntries(works))).toEqual([]);
});

async function readList(): Promise<void> {
  for await (const { items } of listPages(api, '/hostile', { signal: call().signal })) {
    for await (const item of items) expect(item).toBeDefined();
  }
}

test('a list of 15 MiB of empty arrays around its items blocks the event loop for milliseconds at a time', async () => {
  answerAll(list(`[${'[],'.repeat(5 * mib)}0]`, ''));

  expect(await faultsOf({ readList })).toEqual([]);
});

test('a page of 50,000 items blocks the event loop for milliseconds at a time', async () => {
  answerAll(list('0', Array(50_000).fill('{"metadata":{"name":"x"}}').join(',')));

  expect(await faultsOf({ readList })).toEqual([]);
});

test('any number of the worst lines of a watch neither block the event loop nor fill the memory', async () => {
  const lines = {
    ...Object.fromEntries(Object.entries(worstJson(mib)).map(([input, json]) => [input, `${json}\n`.repeat(2)])),
    'empty lines': '\n'.repeat(mib),
    'events without an object': '{"type":"ADDED"}\n'.repeat(100_000),
    'one line': 'x'.repeat(16 * mib),
  };
  const watch = async (text: string) => {
    answerAll(text);
    const options = { resourceVersion: '1', seconds: 60, signal: call().signal };
    for await (const event of watchEvents(api, '/hostile', options)) expect(event).toBeDefined();
  };

  expect(await faultsOf(forEachInput(lines, watch))).toEqual([]);
});

test('the worst logs of a pod neither block the event loop nor fill the memory', async () => {
  const stamp = '2026-01-02T03:04:05Z';
  const logs = {
    'empty lines': '\n'.repeat(3 * mib),
    'lines of one second': `${stamp}\n`.repeat((3 * mib) / 21),
    'one line': 'x'.repeat(3 * mib),
  };
  const read = (text: string) => {
    const pod = { metadata: { uid: 'u' }, spec: { containers: [{ name: 'c' }] }, status: { phase: 'Running' } };
    server.misbehave = ({ url }, response) => {
      void answer(url.pathname.endsWith('/log') ? text : JSON.stringify(pod), response);
      return true;
    };
    const position = { at: stamp, lines: 100_000_000 };
    return readLogPart(api, { namespace: 'n', name: 'p', uid: 'u' }, { position }, { signal: call().signal });
  };

  expect(await faultsOf(forEachInput(logs, read))).toEqual([]);
});

test('an answer that comes byte by byte takes little more memory than its bytes', async () => {
  server.misbehave = (_, response) => {
    response.writeHead(200);
    const write = async () => {
      for (let at = 0; at < 200_000; at += 1) {
        response.write('x');
        if (at % 100 === 0) await new Promise(setImmediate);
      }
      response.end();
    };
    void write();
    return true;
  };

  const read = () => api.getText('/hostile', { ...call(), answer: 'object' });

  expect(await faultsOf({ read })).toEqual([]);
});
