import { unwrap, waitForTask } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { afterAll, beforeAll } from 'vitest';
import { testAccessibility } from './console/accessibility.ts';
import { testChanges } from './console/changing.ts';
import { testAdministering } from './console/administering.ts';
import { testConnection } from './console/connection.ts';
import type { Grounds } from './console/browser/grounds.ts';
import { testMainJob } from './console/main-job.ts';
import { openBrowser } from './console/browser/open-browser.ts';
import { testSafety } from './console/safety.ts';
import { testSignIn } from './console/signing-in.ts';
import { testStates } from './console/states.ts';
import { testWatching } from './console/watching.ts';
import { startPlatform } from './setup/platform.ts';

let grounds: Grounds;

beforeAll(async () => {
  const platform = await startPlatform();
  const [browser, sample] = await Promise.all([openBrowser(), platform.sample('shown')]);
  const created = await platform.admin.deployments.create({
    body: {
      name: 'shown',
      kind_id: sample.registry.kind_id,
      cluster_id: sample.cluster.id,
      helm_chart_id: sample.chart.id,
      config: sampleChart.inputs,
      values_override: null,
    },
  });
  const deployment = unwrap(created);
  for (const id of created.ok ? created.taskIds : []) await waitForTask(platform.admin, id, { withinMs: 120_000 });
  grounds = { platform, browser, sample, deployment };
});
afterAll(async () => {
  await grounds.browser.close();
  await grounds.platform[Symbol.asyncDispose]();
});

testSignIn(() => grounds);
testWatching(() => grounds);
testMainJob(() => grounds);
testChanges(() => grounds);
testAdministering(() => grounds);
testConnection(() => grounds);
testSafety(() => grounds);
testAccessibility(() => grounds);
testStates(() => grounds);
