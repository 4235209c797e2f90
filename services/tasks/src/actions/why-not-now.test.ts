import type { ReportedStatus } from '@berth/contracts/resources/deployments/reported-status';
import { expect, test } from 'vitest';
import { whyNotNow } from './why-not-now.ts';

const status = { endpoint: 'standard_ingress', path: '/status', refresh_interval_secs: 60 } as const;
const timestamp = '2026-01-01T00:00:00.000Z';
const idle: ReportedStatus = {
  timestamp,
  get_successful: true,
  content: { status: { name: 'Idle', color: 'success' }, notices: [] },
  error: null,
};
const unknown: ReportedStatus = { timestamp, get_successful: false, content: null, error: 'away' };
const when = 'The action may be invoked while the reported status is Idle, Ready';

test.for([
  ['allows an action without statuses at any status', [], status, null, null],
  ['allows an action at a status that it names', ['Ready', 'Idle'], status, idle, null],
  [
    'refuses it at another status',
    ['Busy'],
    status,
    idle,
    'The action may be invoked while the reported status is Busy; it is Idle',
  ],
  ['refuses it before a status is known', ['Idle', 'Ready'], status, null, `${when}; no status is known now`],
  ['refuses it while the status cannot be read', ['Idle', 'Ready'], status, unknown, `${when}; no status is known now`],
  ['allows it if the chart does not report a status', ['Idle'], undefined, null, null],
] as const)('%s', ([, allowed_on_statuses, feature, reported, expected]) => {
  expect(whyNotNow({ allowed_on_statuses: [...allowed_on_statuses] }, { status: feature }, reported)).toBe(expected);
});
