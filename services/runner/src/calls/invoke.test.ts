import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  everyNameHere,
  hostileAnswers,
  hurried,
  mostOfEndless,
  withWrongCertificate,
} from '../../test/support/hostile-answers.ts';
import { type HttpsDeployment, startHttpsDeployment } from '../../test/support/https-deployment.ts';
import { createKnownSecrets } from '../log/known-secrets.ts';
import { createDeploymentClient, type DeploymentClient } from './deployment-client.ts';
import { invoke } from './invoke.ts';

let deployment: HttpsDeployment;
beforeAll(async () => {
  deployment = await startHttpsDeployment();
});
afterAll(() => deployment[Symbol.asyncDispose]());
beforeEach(() => {
  deployment.calls.length = 0;
});

const call = { host: '127.0.0.1', path: 'drain', method: 'POST', body: '{"a":1}', token: 'a.b.c', hidden: [] } as const;

interface Given {
  begins?: () => Promise<void>;
  target?: { host?: string; path?: string };
  as?: (client: DeploymentClient) => DeploymentClient;
}

function runOf({ begins = async () => undefined, target = {}, as = (client) => client }: Given = {}) {
  const { port, ca } = deployment;
  const deployments = as(createDeploymentClient({ port, ca, allowAddresses: ['127.0.0.1'], resolve: everyNameHere }));
  onTestFinished(() => deployments[Symbol.dispose]());
  const lost = new AbortController();
  const canceled = new AbortController();
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = { say: (text: string) => lines.push(text), line: (_from: string, text: string) => lines.push(text) };
  const lease = { lost: lost.signal, canceled: canceled.signal, beginAttempt: begins };
  const stop = AbortSignal.any([lost.signal, canceled.signal, stopping.signal]);
  const task = { call: { ...call, hidden: ['swordfish'], ...target } };
  return {
    lines,
    canceled,
    stopping,
    done: async () => {
      const secrets = await createKnownSecrets({ secrets: {}, confidential: [] });
      await invoke({ task, lease, log, secrets, stop, deps: { deployments, stopping: stopping.signal } });
    },
  };
}

describe('a call of an action', () => {
  test('is sent once its beginning is recorded, and its answer is in the log', async () => {
    deployment.respond((_call, response) => response.end('one\ntwo\n'));
    let callsBefore = -1;
    const run = runOf({
      begins: async () => {
        callsBefore = deployment.calls.length;
      },
    });

    await run.done();

    expect(callsBefore).toBe(0);
    expect(deployment.calls).toMatchObject([{ method: 'POST', path: '/drain', body: '{"a":1}' }]);
    expect(run.lines).toEqual(['POST https://127.0.0.1/drain', 'the deployment answered 200', 'one', 'two']);
  });

  test('is not sent if its beginning cannot be recorded', async () => {
    const run = runOf({ begins: () => Promise.reject(new Error('the claim is lost')) });

    await expect(run.done()).rejects.toThrow('the claim is lost');
    expect(deployment.calls).toEqual([]);
  });

  test.for([
    [500, 'The deployment answered 500: it broke at ***'],
    [302, 'The deployment answered 302, and redirects are not followed'],
  ] as const)('fails at the status %i', async ([status, reason]) => {
    deployment.respond((_call, response) => response.writeHead(status, { location: '/' }).end('it broke at swordfish'));

    await expect(runOf().done()).rejects.toMatchObject({ outcome: 'Failed', message: reason });
    expect(deployment.calls).toHaveLength(1);
  });

  test('fails and is not repeated if the connection is cut', async () => {
    deployment.respond((_call, response) => response.destroy());

    await expect(runOf().done()).rejects.toMatchObject({
      outcome: 'Failed',
      message: 'The call failed and is not repeated, since it may have arrived: 127.0.0.1 cut the connection',
    });
    expect(deployment.calls).toHaveLength(1);
  });

  test.for(['silent', 'trickling'])('fails if the deployment is %s for too long', async (path) => {
    deployment.respond(hostileAnswers(() => undefined).respond);

    await expect(runOf({ target: { path }, as: hurried }).done()).rejects.toMatchObject({
      outcome: 'Failed',
      message:
        'The call failed and is not repeated, since it may have arrived: 127.0.0.1 did not answer completely within 0.6 s',
    });
  });

  test('fails and does not arrive if the certificate is for another name', async () => {
    await expect(runOf({ target: { host: withWrongCertificate } }).done()).rejects.toMatchObject({
      outcome: 'Failed',
      message: expect.stringContaining(`the certificate of ${withWrongCertificate} is not trusted (ERR_TLS_CERT_ALT`),
    });
    expect(deployment.calls).toEqual([]);
  });

  test('keeps the beginning of an endless answer', async () => {
    const answers = hostileAnswers(() => undefined);
    deployment.respond(answers.respond);
    const run = runOf({ target: { path: 'endless' } });

    await expect(run.done()).rejects.toMatchObject({
      outcome: 'Failed',
      message: `The deployment answered 500: ${'x'.repeat(300)}`,
    });
    expect(run.lines.join('').length).toBeLessThan(257 * 1024);
    expect(answers.endlessBytes()).toBeLessThan(mostOfEndless);
  });

  test('hides the token in log and reason if the deployment answers with it', async () => {
    deployment.respond(hostileAnswers(() => undefined).respond);
    const run = runOf({ target: { path: 'echoing' } });

    await expect(run.done()).rejects.toMatchObject({ message: 'The deployment answered 422: Bearer *** {"a":1}' });
    expect(run.lines).toContain('Bearer *** {"a":1}');
  });

  test('keeps the beginning of a long answer', async () => {
    deployment.respond((_call, response) => response.end('x'.repeat(300 * 1024)));
    const run = runOf();

    await run.done();

    expect(run.lines.at(-1)).toBe('only the first 256 KiB of the answer are kept');
    expect(run.lines.join('').length).toBeLessThan(257 * 1024);
  });

  test('is cut off by a cancellation, but not by the stop of its runner', async () => {
    const arrived = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    deployment.respond(async (_call, response) => {
      arrived.resolve();
      await answer.promise;
      response.end('late');
    });
    const [stopped, canceled] = [runOf(), runOf()];
    const ends = Promise.allSettled([stopped.done(), canceled.done()]);
    await arrived.promise;

    stopped.stopping.abort();
    canceled.canceled.abort();
    setTimeout(answer.resolve, 50);

    expect(await ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { name: 'AbortError' } }]);
    expect(stopped.lines.at(-1)).toBe('late');
  });
});
