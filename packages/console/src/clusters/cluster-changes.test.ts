import { describe, expect, it } from 'vitest';
import { changesOf, textsOf, typedOf } from './cluster-changes.ts';
import { clusterState } from './cluster-state.ts';

const cluster = {
  env_id: 'prod',
  ingress_domain: 'example.com',
  ingress_class: null,
  ingress_tls_secret_name: null,
  metrics_url: null,
  metrics_datasource_name: null,
};

describe('the settings of a cluster', () => {
  it('change only if they differ', () => {
    expect(changesOf(cluster, textsOf(cluster))).toBeNull();
    expect(changesOf(cluster, { ...textsOf(cluster), ingress_class: ' nginx ' })).toEqual({ ingress_class: 'nginx' });
  });

  it('are removed by an empty text, and the env is by choosing none', () => {
    const texts = { ...textsOf(cluster), ingress_domain: '  ', env_id: null };
    expect(changesOf(cluster, texts)).toEqual({ env_id: null, ingress_domain: null });
  });
});

describe('what was typed', () => {
  it('is kept if somebody else changes another field', () => {
    const texts = { ...textsOf(cluster), ingress_class: 'nginx' };
    const now = { ...cluster, metrics_url: 'https://metrics.example.com' };
    const kept = { ...textsOf(now), ...typedOf(changesOf(cluster, texts), texts) };
    expect(changesOf(now, kept)).toEqual({ ingress_class: 'nginx' });
  });
});

describe('the state of a cluster', () => {
  it('is ignored for an ignored cluster, whatever it last answered', () => {
    expect(clusterState({ is_ok: true, ignore: true }).word).toBe('Ignored');
    expect(clusterState({ is_ok: false, ignore: false })).toEqual({ tone: 'bad', word: 'Unreachable' });
  });
});
