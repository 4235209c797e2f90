import { hash } from 'node:crypto';
import type { ExecProgram } from '@berth/kube/kube-access';
import { NoCredential } from '@berth/kube/kube-error';
import { Timestamp } from '@berth/shared/contracts/fields';
import { atMost } from '@berth/shared/waiting/at-most';
import type { InTurn } from '@berth/shared/waiting/one-at-a-time';
import { z } from 'zod';
import type { ChangingToken, PresentToken } from './cluster-provider.ts';
import { runProgram } from './run-program.ts';

const Credential = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({ token: z.string().min(1).max(65_536), expirationTimestamp: Timestamp.optional() }),
});

const deadlineMs = 20_000;
const maxBytes = 128 * 1024;
/** A token without an end is fetched again after this time. */
const withoutEndMs = 60_000;
/** A token is replaced so long before its end, or after half of its life where that is shorter. */
const earlyMs = 120_000;
/** A program that fails is not run for each of a hundred requests. */
const afterFailureMs = 5_000;

/** Of all clusters: programs are large, and a hundred clusters begin at the same time. */
const usualTurns = atMost(4, { holdMs: deadlineMs });

/** The token that a client-go credential plugin prints. The program is run again before it ends. */
export function tokenFromProgram(program: ExecProgram, inTurn: InTurn = usualTurns): ChangingToken {
  const { command, args, env, apiVersion } = program;
  let kept: { result: Promise<PresentToken>; until: number } | null = null;

  async function run(): Promise<PresentToken> {
    const info = { kind: 'ExecCredential', apiVersion, spec: { interactive: false } };
    const environment = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...env,
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    };
    // Of several requests that wait for the token none may end the program for the others.
    const unlimited = new AbortController().signal;
    const printed = await inTurn(() =>
      runProgram({ command, args, env: environment, deadlineMs, maxBytes }, unlimited),
    );
    const { data } = Credential.safeParse(jsonOf(printed));
    if (!data) throw new NoCredential(`${command} printed no credential with a token`);
    const { token, expirationTimestamp: end } = data.status;
    return { token, expiresAt: end ?? new Date(Date.now() + withoutEndMs).toISOString() };
  }

  function start(): { result: Promise<PresentToken>; until: number } {
    const running = { result: run(), until: Number.POSITIVE_INFINITY };
    running.result.then(
      ({ expiresAt }) => {
        const leftMs = Date.parse(expiresAt) - Date.now();
        running.until = performance.now() + Math.max(leftMs / 2, leftMs - earlyMs, 0);
      },
      () => {
        running.until = performance.now() + afterFailureMs;
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
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
