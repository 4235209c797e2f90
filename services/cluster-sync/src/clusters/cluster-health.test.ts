import { describe, expect, test } from 'vitest';
import { type ClusterHealth, healthAfter, type Sign } from './cluster-health.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const fresh: ClusterHealth = {
  is_ok: false,
  not_ok_reason: 'not probed yet',
  last_seen_at: at(0),
  last_failure: null,
  told_seen_at: at(0),
};
const fine: ClusterHealth = { ...fresh, is_ok: true, not_ok_reason: null };
const answered: Sign = { kind: 'answered' };
const refused = { kind: 'failed', reason: 'it refused the connection' } as const;

describe('healthAfter', () => {
  test('a cluster is ok once it answered, and that is published', () => {
    expect(healthAfter(fresh, answered, at(5))).toEqual({
      health: { ...fine, last_seen_at: at(5), told_seen_at: at(5) },
      publish: true,
    });
  });

  test('a cluster that never answered says at once why', () => {
    expect(healthAfter(fresh, refused, at(5))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection' },
      publish: true,
    });
  });

  test('a failed probe within a minute of the last answer is only remembered', () => {
    expect(healthAfter(fine, refused, at(59))).toMatchObject({
      health: { is_ok: true, last_failure: 'it refused the connection' },
      publish: false,
    });
  });

  test('after a minute without an answer it is not ok, with the reason', () => {
    expect(healthAfter(fine, refused, at(60))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection', last_seen_at: at(0) },
      publish: true,
    });
  });

  test('a cluster that fell silent gets the reason of its last failure', () => {
    const failing = { ...fine, last_failure: 'it refused the connection' };

    expect(healthAfter(failing, { kind: 'silent' }, at(61))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'it refused the connection' },
    });
  });

  test('a cluster that nobody probes is not ok either', () => {
    expect(healthAfter(fine, { kind: 'silent' }, at(61))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'nobody has probed it for a minute' },
    });
  });

  test('a cluster that cannot be used is not ok at once', () => {
    expect(healthAfter(fine, { kind: 'unusable', reason: 'gone from the kubeconfig' }, at(1))).toMatchObject({
      health: { is_ok: false, not_ok_reason: 'gone from the kubeconfig' },
      publish: true,
    });
  });

  test('the same failure again changes nothing', () => {
    const broken = { ...fresh, not_ok_reason: refused.reason, last_failure: refused.reason };

    expect(healthAfter(broken, refused, at(99))).toBeNull();
  });

  test('a repeated sign of a cluster is published once a minute', () => {
    expect(healthAfter(fine, answered, at(15))).toMatchObject({ health: { last_seen_at: at(15) }, publish: false });
    expect(healthAfter(fine, answered, at(60))).toMatchObject({ health: { told_seen_at: at(60) }, publish: true });
  });

  test('an answer ends a failure and forgets it', () => {
    const broken = { ...fresh, not_ok_reason: refused.reason, last_failure: refused.reason };

    expect(healthAfter(broken, answered, at(99))).toMatchObject({
      health: { is_ok: true, not_ok_reason: null, last_failure: null },
      publish: true,
    });
  });
});
