import { type Answer, type FakeApiServer, sendHeaders } from '@berth/devstack/testing/fake-api-server';

export interface FakeKubelet {
  readonly uid: string;
  phase: string;
  containers: string[];
  /** A line of the pod's log. */
  readonly lines: { at: string; text: string }[];
  previous: { at: string; text: string }[];
  /** The queries of the requests for its log so far. */
  readonly queries: URLSearchParams[];
  /** Appends a line, now or at a time. */
  write(text: string, at?: string): void;
  /** Ends the open streams, as when the container ends. */
  endStreams(): void;
  openStreams(): number;
  isDeleted: boolean;
  /** If set, the answer to every request for the log. */
  refusal: { status: number; message: string } | null;
}

/** Serves one pod of a fake API server and its log, as the kubelet does: times are compared by the second. */
export function serveFakePod(server: FakeApiServer, { uid, path }: { uid: string; path: string }): FakeKubelet {
  const streams = new Set<Answer>();
  const kubelet: FakeKubelet = {
    uid,
    phase: 'Running',
    containers: ['web'],
    lines: [],
    previous: [],
    queries: [],
    isDeleted: false,
    refusal: null,
    write(text, at = new Date().toISOString().replace('Z', '000000Z')) {
      kubelet.lines.push({ at, text });
      for (const stream of streams) stream.write(`${at} ${text}\n`);
    },
    endStreams() {
      for (const stream of streams) stream.end();
    },
    openStreams: () => streams.size,
  };

  const fail = (response: Answer, code: number, message: string) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code, message }));
  };

  server.misbehave = ({ url }, response) => {
    if (url.pathname === path) {
      if (kubelet.isDeleted) fail(response, 404, 'not found');
      else {
        const containers = kubelet.containers.map((name) => ({ name }));
        const { phase } = kubelet;
        response.end(
          JSON.stringify({
            metadata: { uid: kubelet.uid },
            spec: { containers, nodeName: 'node-7' },
            status: { phase },
          }),
        );
      }
      return true;
    }
    if (url.pathname !== `${path}/log`) return false;
    const query = url.searchParams;
    kubelet.queries.push(query);
    if (kubelet.refusal) {
      fail(response, kubelet.refusal.status, kubelet.refusal.message);
      return true;
    }
    const from = Math.floor(Date.parse(query.get('sinceTime') ?? '1970-01-01') / 1_000) * 1_000;
    const tail = query.get('tailLines');
    const all = query.get('previous') ? kubelet.previous : kubelet.lines;
    const shown = all.filter(({ at }) => Date.parse(at) >= from).slice(tail === null ? 0 : -Number(tail));
    sendHeaders(response);
    response.write(shown.map(({ at, text }) => `${at} ${text}\n`).join(''));
    if (query.get('follow') !== 'true') response.end();
    else {
      streams.add(response);
      response.on('close', () => streams.delete(response));
    }
    return true;
  };
  return kubelet;
}
