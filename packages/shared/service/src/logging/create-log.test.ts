import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '@berth/contracts/errors';
import { createLog } from './create-log.ts';

function capture() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: createLog('test', { destination }), text: () => lines.join('') };
}

describe('a log line', () => {
  test.for([
    { password: 'hunter2' },
    { headers: { Authorization: 'Bearer hunter2' } },
    { request: { body: { contents: 'hunter2' } } },
    { list: [{ access_token: 'hunter2' }, { created_token: 'hunter2' }] },
    { identityToken: 'hunter2' },
    { env: { OIDC_CLIENT_SECRET: 'hunter2', DB_PASSWORD: 'hunter2' } },
    { kubeconfig: 'hunter2', 'x-service-token': 'hunter2' },
    { deep: { a: { b: { c: { d: { e: { f: { g: 'hunter2' } } } } } } } },
  ])('does not contain fields named like a secret: %j', (fields) => {
    const { log, text } = capture();

    log.info(fields, 'message');
    log.child(fields).info('message');

    expect(text()).toContain('"msg":"message"');
    expect(text()).not.toContain('hunter2');
  });

  test('keeps fields whose names only resemble those of secrets', () => {
    const { log, text } = capture();

    log.info({ token_id: 'abc', secret_id: 'def', passed: true, user: { id: 5 } }, 'message');

    expect(JSON.parse(text())).toMatchObject({ token_id: 'abc', secret_id: 'def', passed: true, user: { id: 5 } });
  });

  test('is one line, whatever the message', () => {
    const { log, text } = capture();

    log.info({ name: 'a\nb\u001b[31m' }, 'first\r\nsecond');

    expect(text().trim().split('\n')).toHaveLength(1);
  });
});

describe('an error in the log', () => {
  test('has type, message, frames and causes, and no other property', () => {
    const { log, text } = capture();
    const cause = Object.assign(new Error('inner'), { values: ['hunter2'], sql: "select 'hunter2'" });

    log.error({ err: new AppError('conflict', 'outer', { cause }) }, 'failed');

    const { err } = JSON.parse(text());
    expect(err).toMatchObject({ type: 'AppError', message: 'outer', code: 'conflict', cause: { message: 'inner' } });
    expect(err.stack).toMatch(/^\s+at /);
    expect(text()).not.toContain('hunter2');
  });

  test('shows no values of the database', () => {
    const { log, text } = capture();
    const database = Object.assign(new Error('invalid input syntax for type json: "hunter2\nmore"'), {
      severity: 'ERROR',
      code: '22P02',
      detail: 'Token "hunter2" is invalid.',
      where: 'JSON data, line 1: hunter2',
    });

    log.error({ err: new Error('query failed', { cause: database }) }, 'failed');

    expect(JSON.parse(text()).err.cause).toMatchObject({
      code: '22P02',
      message: 'invalid input syntax for type json: …',
    });
    expect(text()).not.toContain('hunter2');
  });

  test('is logged without failing if it is not an Error, or is its own cause', () => {
    const { log, text } = capture();
    const loop = new Error('round');
    loop.cause = loop;

    log.error({ err: 'hunter2' }, 'one');
    log.error({ err: loop }, 'two');

    expect(text()).not.toContain('hunter2');
    expect(text()).toContain('"msg":"two"');
  });
});
