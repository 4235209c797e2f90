import { ProblemError } from '@berth/client';
import { expect, test } from 'vitest';
import { failureText } from './failure-text.ts';

const textOf = (cause: unknown): string =>
  failureText(
    new ProblemError({
      code: 'unreachable',
      request: 'GET /api/v2/envs',
      status: 0,
      detail: 'The server did not answer',
      errors: [],
      requestId: null,
      retryAfterMs: null,
      cause,
    }),
  );
const fetchFailed = (cause?: unknown) => new TypeError('fetch failed', { cause });
const network = (message: string, code: string) => Object.assign(new Error(message), { code });

test('a platform that is out of reach is a failure with the cause of the network', () => {
  expect(textOf(fetchFailed(network('getaddrinfo ENOTFOUND berth.example.test', 'ENOTFOUND')))).toBe(
    [
      'berth: The server did not answer',
      '  getaddrinfo ENOTFOUND berth.example.test',
      '  Check the URL of the platform: berth context list, or BERTH_URL',
      '  (unreachable, GET /api/v2/envs)',
    ].join('\n'),
  );
});

test('of several addresses that were tried the first one says why', () => {
  const tried = new AggregateError([network('connect ECONNREFUSED ::1:8080', 'ECONNREFUSED'), new Error('other')]);

  expect(textOf(fetchFailed(tried))).toContain('\n  connect ECONNREFUSED ::1:8080\n');
});

test('a certificate that is not trusted has a way out', () => {
  expect(textOf(fetchFailed(network('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')))).toMatch(
    /self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n {2}NODE_EXTRA_CA_CERTS names/,
  );
});

test('of an error of OpenSSL its reason is shown', () => {
  const error = Object.assign(network('402D:error:0A00010B:SSL routines', 'ERR_SSL_WRONG_VERSION_NUMBER'), {
    reason: 'wrong version number',
  });

  expect(textOf(fetchFailed(error))).toContain('\n  wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)\n');
});

test('an error that may quote what was sent is not shown', () => {
  const quoting = new TypeError('Headers.append: "swordfish" is an invalid header value.');

  for (const cause of [quoting, fetchFailed(quoting), fetchFailed()]) expect(textOf(cause)).not.toContain('swordfish');
});
