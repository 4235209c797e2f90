import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ToolUnavailable } from './tool-unavailable.ts';
import { trustSystemCertificates } from './trust-system-certificates.ts';
import { type Log, withProgress } from './with-progress.ts';

const STALL_MS = 60_000;
const LARGEST = 1024 ** 3;

/** Downloads `url` into `file` and checks its pinned SHA-256. The caller removes a file that is refused. */
export async function download(
  { url, sha256, file }: { url: string; sha256: string; file: string },
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  trustSystemCertificates();
  const stalled = new AbortController();
  const hash = createHash('sha256');
  let loaded = 0;
  const timer = setTimeout(
    () => stalled.abort(new ToolUnavailable(`${url}: no data for ${STALL_MS / 1000} s`)),
    STALL_MS,
  );

  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh();
      hash.update(chunk);
      loaded += chunk.length;
      done(loaded > LARGEST ? new ToolUnavailable(`${url} is larger than ${LARGEST} bytes`) : null, chunk);
    },
  });

  await withProgress(
    log,
    () => `loading ${url}, ${Math.round(loaded / 1e6)} MB`,
    async () => {
      try {
        const either = AbortSignal.any([signal, stalled.signal]);
        const response = await fetch(url, { signal: either });
        if (!response.ok || !response.body) throw new ToolUnavailable(`${url} answered ${response.status}`);
        await pipeline(response.body, measure, createWriteStream(file, { mode: 0o600 }), { signal: either });
      } finally {
        clearTimeout(timer);
      }
    },
  );

  const found = hash.digest('hex');
  if (found !== sha256) throw new ToolUnavailable(`${url} has SHA-256 ${found}; expected is ${sha256}`);
}
