import { expect, test } from 'vitest';
import { describeFailure, failureCause } from './describe-failure.ts';
import { AnswerTooLarge, KubeError } from './kube-error.ts';

const server = 'https://10.0.0.1:6443/path';
const failure = (code: string) => Object.assign(new Error(`something with a sekret`), { code });
const answer = (status: number) => new KubeError({ status, body: '{"message":"token sekret"}' });

test.for<[unknown, string]>([
  [failure('ECONNREFUSED'), '10.0.0.1:6443 refused the connection'],
  [failure('ENOTFOUND'), 'the host name of 10.0.0.1:6443 cannot be resolved'],
  [failure('ECONNRESET'), '10.0.0.1:6443 cut the connection'],
  [
    failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'the certificate of 10.0.0.1:6443 is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  [
    failure('ERR_TLS_CERT_ALTNAME_INVALID'),
    'the certificate of 10.0.0.1:6443 is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  [new DOMException('late', 'TimeoutError'), '10.0.0.1:6443 did not answer in time'],
  [answer(401), '10.0.0.1:6443 refused the credential of Berth (401)'],
  [answer(403), 'the credential of Berth lacks a permission at 10.0.0.1:6443 (403)'],
  [answer(404), '10.0.0.1:6443 refused the request (404)'],
  [answer(500), '10.0.0.1:6443 reports that it is not ready (500)'],
  [new AnswerTooLarge(1024), '10.0.0.1:6443 sent an answer that is too large'],
  [failure('HPE_INVALID'), '10.0.0.1:6443 sent no usable answer (HPE_INVALID)'],
  [failure('sekret'), '10.0.0.1:6443 sent no usable answer'],
])('a failed call is described as "%s"', ([error, words]) => {
  expect(describeFailure(error, server)).toBe(words);
});

test.for<[unknown, string]>([
  [answer(401), 'denied'],
  [answer(403), 'denied'],
  [answer(404), 'refused'],
  [answer(429), 'overloaded'],
  [answer(503), 'not_ready'],
  [new AnswerTooLarge(1024), 'too_large'],
  [failure('EAI_AGAIN'), 'name'],
  [failure('ERR_HTTP2_STREAM_ERROR'), 'cut'],
  [new DOMException('late', 'TimeoutError'), 'timeout'],
  [failure('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate'],
  [new Error('a bug'), 'other'],
])('a failed call is counted as %s', ([error, cause]) => {
  expect(failureCause(error)).toBe(cause);
});
