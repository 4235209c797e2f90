import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeAccess } from '@berth/kube/kube-access';

/** Sends a request to an API server, as kubectl does. Returns the status and the body. */
export function kubeRequest(
  { server, ca, token, certificate }: KubeAccess,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    request(server + path, {
      method,
      agent: false,
      timeout: 10_000,
      ...(ca !== null && { ca }),
      ...certificate,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': contentType }),
      },
    })
      .on('response', (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
      })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}
