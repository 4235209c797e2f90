import { type Problem, ProblemError } from '@berth/client';
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
const refused = (code: Problem['code'], detail: string, errors: Problem['errors'] = []): string =>
  failureText(
    new ProblemError({
      code,
      request: 'GET /api/v2/audit-events',
      status: 400,
      detail,
      errors,
      requestId: 'r-1',
      retryAfterMs: null,
    }),
  );
const fetchFailed = (cause?: unknown) => new TypeError('fetch failed', { cause });
const network = (message: string, code: string) => Object.assign(new Error(message), { code });

test('a platform that is out of reach is a failure that names the cause in the network', () => {
  expect(textOf(fetchFailed(network('getaddrinfo ENOTFOUND berth.example.test', 'ENOTFOUND')))).toBe(
    [
      'berth: The server did not answer',
      '  getaddrinfo ENOTFOUND berth.example.test',
      '  Check the URL of the platform: berth context list, or BERTH_URL',
      '  (unreachable, GET /api/v2/envs)',
    ].join('\n'),
  );
});

test('if several addresses were tried, the error of the first is shown', () => {
  const tried = new AggregateError([network('connect ECONNREFUSED ::1:8080', 'ECONNREFUSED'), new Error('other')]);

  expect(textOf(fetchFailed(tried))).toContain('\n  connect ECONNREFUSED ::1:8080\n');
});

test('an untrusted certificate is reported with a way out', () => {
  expect(textOf(fetchFailed(network('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')))).toMatch(
    /self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n {2}NODE_EXTRA_CA_CERTS names/,
  );
});

test('the reason of an OpenSSL error is shown', () => {
  const error = Object.assign(network('402D:error:0A00010B:SSL routines', 'ERR_SSL_WRONG_VERSION_NUMBER'), {
    reason: 'wrong version number',
  });

  expect(textOf(fetchFailed(error))).toContain('\n  wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)\n');
});

test('an error that may quote what was sent is not shown', () => {
  const quoting = new TypeError('Headers.append: "swordfish" is an invalid header value.');

  for (const cause of [quoting, fetchFailed(quoting), fetchFailed()]) expect(textOf(cause)).not.toContain('swordfish');
});

test.for([
  ['a path', () => refused('not_found', 'No such path')],
  ['a method', () => refused('method_not_allowed', 'The path has no POST')],
  ['a field', () => refused('invalid', 'x', [{ path: 'body.colour', message: 'is not known here' }])],
] as const)('if the platform does not know %s, the error says that it may be older', ([, text]) => {
  expect(text()).toContain('perhaps it is older than this command line, 0.1.0');
});

test('the error for a missing row or a wrong value says nothing about versions', () => {
  const wrong = [{ path: 'body.name', message: 'is required' }];

  for (const text of [refused('not_found', 'There is no such env'), refused('invalid', 'x', wrong)])
    expect(text).not.toContain('older');
});
