import type { Bus } from '@berth/bus/bus';
import {
  type ClaimedPoll,
  type StatusPoll,
  type StatusPollResult,
  statusPolls,
} from '@berth/contracts/resources/tasks/status-polls';
import { silentLog } from '@berth/testing/test-bus';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  everyNameHere,
  hostileAnswers,
  mostOfEndless,
  withWrongCertificate,
} from '../../test/support/hostile-answers.ts';
import { type HttpsDeployment, startHttpsDeployment } from '../../test/support/https-deployment.ts';
import { createDeploymentClient } from '../calls/deployment-client.ts';
import { pollStatuses } from './poll-statuses.ts';

let deployment: HttpsDeployment;
beforeAll(async () => {
  deployment = await startHttpsDeployment();
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** Stands in for the service: hands out due polls and records the results. */
function startPolls(due: StatusPoll[], slots: number) {
  const results = new Map<string, StatusPollResult['status']>();
  const givenBack: ClaimedPoll[][] = [];
  const { port, ca } = deployment;
  const deployments = createDeploymentClient({ port, ca, allowAddresses: ['127.0.0.1'], resolve: everyNameHere });
  const stopping = new AbortController();
  let running = 0;
  let most = 0;
  const counted: Pick<typeof deployments, 'call'> = {
    async call(...of) {
      running += 1;
      most = Math.max(most, running);
      try {
        return await deployments.call(...of);
      } finally {
        running -= 1;
      }
    },
  };
  const call = async ({ name }: { name: string }, { body }: { body: never }) => {
    if (name === statusPolls.operations.claim.name) {
      return { polls: due.splice(0, (body as { quick: number }).quick) };
    }
    const { results: reported, not_made } = body as { results: StatusPollResult[]; not_made?: ClaimedPoll[] };
    if (not_made) givenBack.push(not_made);
    for (const { deployment_id, status } of reported) {
      results.set(deployment_id, status);
    }
    return null;
  };
  const log = silentLog;
  const bus = { call } as unknown as Pick<Bus, 'call'>;
  const loop = pollStatuses({ bus, log, deployments: counted, metrics: { polled: () => undefined }, slots });
  const ended = loop(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  onTestFinished(async () => {
    await stop();
    deployments[Symbol.dispose]();
  });
  return { results, givenBack, most: () => most, stop };
}

let ids = 0;
const poll = (path: string, host = '127.0.0.1'): StatusPoll => {
  ids += 1;
  return { deployment_id: `d${ids}`, fence: 1, call: { host, path, token: 'a.b.c' } };
};

test('claimed polls that were not made are given back in one call when the runner stops', async () => {
  deployment.respond(hostileAnswers(() => undefined).respond);
  const all = Array.from({ length: 20 }, () => poll('/silent'));
  const due = [...all];
  const { givenBack, most, stop } = startPolls(due, 8);
  await expect.poll(() => [most(), due.length]).toEqual([6, 8]);

  await stop();

  const ids = givenBack.map((polls) => polls.map(({ deployment_id }) => deployment_id).toSorted());
  expect(ids).toEqual([
    all
      .slice(0, 12)
      .map(({ deployment_id }) => deployment_id)
      .toSorted(),
  ]);
});

test('deployments are polled despite hostile ones that are silent, trickle, flood, redirect, echo the token or have a wrong certificate', async () => {
  const answers = hostileAnswers((_call, response) => response.end('{"status":{"name":"Idle","color":"success"}}'));
  deployment.respond(answers.respond);
  const hostile = [
    poll('/silent'),
    poll('/trickling'),
    poll('/silent'),
    poll('/endless'),
    poll('/huge'),
    poll('/redirecting'),
    poll('/good', withWrongCertificate),
    poll('/echoing'),
  ];
  const good = Array.from({ length: 40 }, () => poll('/good'));

  const { results, most } = startPolls([...hostile, ...good], 8);

  const ended = good.map(({ deployment_id }) => deployment_id);
  await expect.poll(() => ended.filter((id) => results.has(id)).length).toBe(40);
  expect(most()).toBeLessThanOrEqual(6);
  expect(hostile.slice(0, 3).filter(({ deployment_id }) => results.has(deployment_id))).toEqual([]);
  expect(hostile.slice(3).map(({ deployment_id }) => results.get(deployment_id))).toEqual([
    { error: expect.stringContaining('larger than 32768 bytes') },
    { error: expect.stringContaining('larger than 32768 bytes') },
    { error: 'It answered 307, and redirects are not followed' },
    { error: `the certificate of ${withWrongCertificate} is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)` },
    { error: expect.stringContaining('422') },
  ]);
  expect(JSON.stringify([...results])).not.toContain('a.b.c');
  expect(answers.endlessBytes()).toBeLessThan(mostOfEndless);
  await expect
    .poll(() => results.get(hostile[1]?.deployment_id ?? ''))
    .toEqual({
      error: '127.0.0.1 did not answer completely within 10 s',
    });
});
