import { describe, expect, test } from 'vitest';
import { type ClusterHealth, healthAfter, type ProbeResult } from './cluster-health.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const fresh: ClusterHealth = {
  is_ok: false,
  not_ok_reason: 'not probed yet',
  last_seen_at: at(0),
  last_failure: null,
  published_seen_at: at(0),
};
const fine: ClusterHealth = { ...fresh, is_ok: true, not_ok_reason: null };
const answered: ProbeResult = { kind: 'answered' };
const refused = { kind: 'failed', reason: 'it refused the connection', cause: 'connection_refused' } as const;

describe('healthAfter', () => {
  test('the first answer of a cluster makes it ok and is published', () => {
    expect(healthAfter(fresh, answered, at(5))).toEqual({
      health: { ...fine, last_seen_at: at(5), published_seen_at: at(5) },
      publish: true,
    });
  });

  test('a cluster that never answered gets the reason of its first failure at once', () => {
    expect(healthAfter(fresh, refused, at(5))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection' },
      publish: true,
    });
  });

  test('a failed probe within a minute of the last answer is stored and not published', () => {
    expect(healthAfter(fine, refused, at(59))).toMatchObject({
      health: { is_ok: true, last_failure: 'it refused the connection' },
      publish: false,
    });
  });

  test('a cluster without an answer for a minute is not ok, with the reason', () => {
    expect(healthAfter(fine, refused, at(60))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection', last_seen_at: at(0) },
      publish: true,
    });
  });

  test('a cluster that is no longer probed gets the reason of its last failure', () => {
    const failing = { ...fine, last_failure: 'it refused the connection' };

    expect(healthAfter(failing, { kind: 'silent' }, at(61))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection' },
    });
  });

  test('a cluster that is not probed for a minute is not ok', () => {
    expect(healthAfter(fine, { kind: 'silent' }, at(61))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it was not probed for a minute' },
    });
  });

  test('an unusable cluster is not ok at once', () => {
    expect(healthAfter(fine, { kind: 'unusable', reason: 'gone from the kubeconfig' }, at(1))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'gone from the kubeconfig' },
      publish: true,
    });
  });

  test('a repeated failure changes nothing', () => {
    const broken = { ...fresh, not_ok_reason: refused.reason, last_failure: refused.reason };

    expect(healthAfter(broken, refused, at(99))).toBeNull();
  });

  test('a change of last_seen_at alone is published once a minute', () => {
    expect(healthAfter(fine, answered, at(15))).toMatchObject({ health: { last_seen_at: at(15) }, publish: false });
    expect(healthAfter(fine, answered, at(60))).toMatchObject({ health: { published_seen_at: at(60) }, publish: true });
  });

  test('an answer clears the last failure', () => {
    const broken = { ...fresh, not_ok_reason: refused.reason, last_failure: refused.reason };

    expect(healthAfter(broken, answered, at(99))).toMatchObject({
      health: { is_ok: true, not_ok_reason: null, last_failure: null },
      publish: true,
    });
  });
});
