import { expect, test } from 'vitest';
import { readEcrEvent } from './ecr-event.ts';

const digest = `sha256:${'7f'.repeat(32)}`;
const host = '123456789012 in us-west-2';

/** As the documentation of ECR shows it, with a name that is a chart's. */
const event = (detail: object, fields: object = {}) =>
  JSON.stringify({
    version: '0',
    id: '13cde686-328b-6117-af20-0e5566167482',
    'detail-type': 'ECR Image Action',
    source: 'aws.ecr',
    account: '123456789012',
    time: '2019-11-16T01:54:34Z',
    region: 'us-west-2',
    resources: [],
    detail: {
      result: 'SUCCESS',
      'repository-name': 'charts/web',
      'image-digest': digest,
      'action-type': 'PUSH',
      'image-tag': '1.0.0',
      ...detail,
    },
    ...fields,
  });
const cacheAction = (status: string) =>
  event(
    { 'rule-version': '1', 'sync-status': status, 'ecr-repository-prefix': 'charts' },
    { 'detail-type': 'ECR Pull Through Cache Action' },
  );

test.for([
  ['a push', event({}), { host, repository: 'charts/web', tag: '1.0.0', digest }],
  [
    'a push of a digest of another kind',
    event({ 'image-digest': 'md5:1' }),
    { host, repository: 'charts/web', tag: '1.0.0', digest: null },
  ],
  ['a deletion', event({ 'action-type': 'DELETE' }), { host, repository: 'charts/web', tag: null, digest: null }],
  [
    'an image that a cache has pulled',
    cacheAction('SUCCESS'),
    { host, repository: 'charts/web', tag: '1.0.0', digest },
  ],
  ['a pull of a cache that failed', cacheAction('FAILURE'), null],
  ['a push that failed', event({ result: 'FAILURE' }), null],
  ['a push without a tag', event({ 'image-tag': '' }), null],
  ['a push with a name that no registry accepts', event({ 'repository-name': '../v2' }), null],
  ['an action of a later version', event({ 'action-type': 'ARCHIVE' }), null],
  ['the scan of an image', event({}, { 'detail-type': 'ECR Image Scan' }), null],
] as const)('an event reports %s', ([, body, hint]) => {
  expect(readEcrEvent(body)).toEqual({ hint });
});

test.for([
  ['is not JSON', 'push', /^it is not JSON$/],
  ['is empty', '', /^it is not JSON$/],
  ['is nested without end', '['.repeat(100_000), /^it is not JSON$/],
  ['is of another service', event({}, { source: 'aws.s3' }), /^source: is not aws\.ecr$/],
  ['names no account', event({}, { account: 'x' }), /^it is not an event of EventBridge: account: /],
  ['names no repository', event({ 'repository-name': 7 }), /^it is not an image action: repository-name: /],
  ['has no detail', event({}, { detail: null }), /^it is not an event of EventBridge: detail: /],
] as const)('a message that %s is refused with the field and the rule', ([, body, reason]) => {
  expect(readEcrEvent(body)).toEqual({ refused: expect.stringMatching(reason) });
});
