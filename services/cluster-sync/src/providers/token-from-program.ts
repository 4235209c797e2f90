import { hash } from 'node:crypto';
import type { ExecProgram } from '@berth/kube/kube-access';
import { NoCredential } from '@berth/kube/kube-error';
import { Timestamp } from '@berth/contracts/fields/fields';
import { atMost, type InTurn } from '@berth/service/waiting/at-most';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { z } from 'zod';
import type { ChangingToken, PresentToken } from './cluster-provider.ts';
import { runProgram } from './run-program.ts';

const Credential = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({ token: z.string().min(1).max(65_536), expirationTimestamp: Timestamp.optional() }),
});

const deadlineMs = 20_000;
const maxBytes = 128 * 1024;
/** A token without an expiry is fetched again after this time. */
const withoutEndMs = 60_000;
/** A token is replaced this long before its expiry, or after half of its lifetime if that is later. */
const earlyMs = 120_000;
/** The pause between two runs of a program that fails or whose tokens are refused. */
const usualPauseMs = 5_000;

interface Kept {
  readonly result: Promise<PresentToken>;
  /** On the monotonic clock. */
  until: number;
  printed: { readonly token: string; readonly at: number } | null;
}

/** Shared by all clusters: programs are large, and a hundred clusters may start at the same time. */
const usualTurns = atMost(4, { holdMs: deadlineMs });

/** The token that a client-go credential plugin prints. The program is run again before the token expires. */
export function tokenFromProgram(
  program: ExecProgram,
  { inTurn = usualTurns, pauseMs = usualPauseMs }: { inTurn?: InTurn; pauseMs?: number } = {},
): Required<ChangingToken> {
  const { command, args, env, apiVersion } = program;
  let kept: Kept | null = null;

  async function run(): Promise<PresentToken> {
    const info = { kind: 'ExecCredential', apiVersion, spec: { interactive: false } };
    const environment = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...env,
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    };
    // Several requests may wait for this token, so the signal of one must not stop the program.
    const unlimited = new AbortController().signal;
    const printed = await inTurn(() =>
      runProgram({ command, args, env: environment, deadlineMs, maxBytes }, unlimited),
    );
    const { data } = Credential.safeParse(parsedBoundedJson(printed));
    if (!data) throw new NoCredential(`${command} printed no credential with a token`);
    const { token, expirationTimestamp: end } = data.status;
    return { token, expiresAt: end ?? new Date(Date.now() + withoutEndMs).toISOString() };
  }

  function start(): Kept {
    const running: Kept = { result: run(), until: Number.POSITIVE_INFINITY, printed: null };
    running.result.then(
      ({ token, expiresAt }) => {
        running.printed = { token, at: performance.now() };
        const leftMs = Date.parse(expiresAt) - Date.now();
        running.until = performance.now() + Math.max(leftMs / 2, leftMs - earlyMs, 0);
      },
      () => {
        running.until = performance.now() + pauseMs;
      },
    );
    return running;
  }

  return {
    source: `program ${hash('sha256', JSON.stringify(program), 'base64url')}`,
    current() {
      if (kept === null || performance.now() >= kept.until) kept = start();
      return kept.result;
    },
    refused(token: string): void {
      // Ignores a refusal of an earlier token.
      if (kept?.printed?.token === token) kept.until = Math.min(kept.until, kept.printed.at + pauseMs);
    },
  };
}
