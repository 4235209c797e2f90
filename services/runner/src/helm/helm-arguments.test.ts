import { expect, test } from 'vitest';
import { deployArguments } from './helm-arguments.ts';

const task = {
  task_id: '0b8a6b0e-0000-4000-8000-000000000001',
  fence: 3,
  attempt: 1,
  lease_ms: 30_000,
  action: 'deploy' as const,
  is_first: true,
  delete_namespace: false,
  deployment_id: '0b8a6b0e-0000-4000-8000-000000000002',
  deployment_name: 'a',
  kind: 'Web',
  cluster_id: '0b8a6b0e-0000-4000-8000-000000000003',
  namespace: 'web-a',
  chart: null,
  values: { password: 'canary' },
  call: null,
  restart: null,
  secrets: {},
  confidential: [],
  wait: { enabled: true, timeout_secs: 90 },
  traceparent: null,
  request_id: null,
};
const files = { kubeconfig: '/f/kubeconfig', chart: '/c/abc.tgz', values: '/f/values.json', checksValues: true };

test('a deploy names the release after its namespace, following a double dash, and waits as long as the chart requires', () => {
  const args = deployArguments(task, files, { labels: { a: '1', b: '2' }, waits: true });

  expect(args.slice(-3)).toEqual(['--', 'web-a', '/c/abc.tgz']);
  expect(args.join(' ')).toContain('--wait --timeout 90s');
  expect(args.join(' ')).toContain('--labels a=1,b=2');
});

test('a deploy that the runner waits for still limits its hooks', () => {
  const args = deployArguments(task, files, { labels: {}, waits: false }).join(' ');

  expect(args).not.toContain('--wait');
  expect(args).toContain('--timeout 90s');
});

test('a deploy does not wait when the chart disables it', () => {
  expect(
    deployArguments({ ...task, wait: { enabled: false, timeout_secs: 90 } }, files, {
      labels: {},

      waits: false,
    }),
  ).not.toEqual(expect.arrayContaining([expect.stringMatching(/--(wait|timeout)/)]));
});

test('the arguments of a deploy contain no values', () => {
  expect(deployArguments(task, files, { labels: {}, waits: false }).join(' ')).not.toContain('canary');
});
