import { type Problem, ProblemError, WaitedTooLong } from '@berth/client';
import manifest from '../../package.json' with { type: 'json' };
import { harmlessLines } from '../text/harmless.ts';
import { CliFailure } from './cli-failure.ts';

/** What the user reads about a failure: what is wrong, in which field, and what to do. */
export const failureText = (error: unknown): string => harmlessLines(textOf(error));

function textOf(error: unknown): string {
  if (error instanceof ProblemError) return problemText(error.problem);
  if (error instanceof CliFailure || error instanceof WaitedTooLong) return `berth: ${error.message}`;
  return `berth: an error of the command line itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function problemText(problem: Problem): string {
  const { code, detail, errors, request, requestId, cause } = problem;
  const fields = errors.filter(({ path, message }) => !detail.includes(`${path}: ${message}`));
  const wayOut = waysOut[code];
  return [
    `berth: ${detail}`,
    ...fields.map(({ path, message }) => `  ${path}: ${message}`),
    ...networkLines(cause),
    ...(isUnknownThere(problem) ? [`  ${older}`] : []),
    ...(wayOut === undefined ? [] : [`  ${wayOut}`]),
    `  (${code}, ${request}${requestId === null ? '' : `, request ${requestId}`})`,
  ].join('\n');
}

/** Whether the platform does not know the request or a field of it. The gateway uses these words for nothing else. */
const isUnknownThere = ({ code, detail, errors }: Problem): boolean =>
  (code === 'not_found' && detail === 'No such path') ||
  code === 'method_not_allowed' ||
  errors.some(({ path, message }) => /^(?:body|query)\./.test(path) && message === 'is not known here');

const older = `The platform does not know this; perhaps it is older than this command line, ${manifest.version}`;

/** Why a connection failed, such as an unknown host. Other errors of `fetch` are not shown: they may quote what was sent. */
function networkLines(error: unknown): string[] {
  const { cause } = error instanceof Error ? error : {};
  const [first = cause] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [];
  if (!(first instanceof Error) || !('code' in first) || typeof first.code !== 'string') return [];
  const isTrust = /CERT|SIGNED|SIGNATURE/.test(first.code);
  const way = '  NODE_EXTRA_CA_CERTS names a file with the authority of the platform';
  // Errors of OpenSSL have the text for programmers in `message` and the text for people in `reason`.
  const words = 'reason' in first && typeof first.reason === 'string' ? first.reason : first.message;
  return [`  ${words.includes(first.code) ? words : `${words} (${first.code})`.trim()}`, ...(isTrust ? [way] : [])];
}

const signIn = 'Sign in again: berth login URL, or set BERTH_TOKEN';

const waysOut: Partial<Record<Problem['code'], string>> = {
  unauthenticated: signIn,
  token_revoked: signIn,
  token_expired: signIn,
  user_inactive: 'Ask a site admin to activate your user',
  stale: 'It was changed meanwhile: read it again, then repeat the command',
  unreachable: 'Check the URL of the platform: berth context list, or BERTH_URL',
  unavailable: 'Try again: a part of the platform is down',
  too_many_requests: 'Try again later',
};
