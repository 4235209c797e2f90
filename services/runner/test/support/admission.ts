import type { KubeApi } from '@berth/kube/kube-api';
import { z } from 'zod';
import { startHttpsDeployment } from './https-deployment.ts';

const Review = z.object({
  request: z.object({
    uid: z.string(),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    namespace: z.string(),
    /** Undefined if the server generates the name. */
    name: z.string().default(''),
    object: z
      .looseObject({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()).optional() }) })
      .nullable(),
  }),
});
export type Write = z.infer<typeof Review>['request'];

export interface Admission extends AsyncDisposable {
  /** `work` runs before the first matching write and returns whether to admit it. */
  at(matches: (write: Write) => boolean, work: () => Promise<boolean>): Promise<void>;
}

/** Holds writes of Secrets and ConfigMaps at the API server, so that something can happen just then. */
export async function holdWrites(api: KubeApi): Promise<Admission> {
  const server = await startHttpsDeployment();
  let held: { matches: (write: Write) => boolean; decide: () => Promise<boolean> } | null = null;
  server.respond(async ({ body }, response) => {
    const { request } = Review.parse(JSON.parse(body));
    const { decide } = held?.matches(request) ? held : { decide: null };
    if (decide) held = null;
    const allowed = decide ? await decide() : true;
    const answer = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets', 'configmaps'] }];
  const clientConfig = {
    url: `https://127.0.0.1:${server.port}/`,
    caBundle: Buffer.from(server.ca).toString('base64'),
  };
  const webhook = {
    name: 'hold.berth.test',
    rules,
    clientConfig,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await api.postJson(
    path,
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hold' },
      webhooks: [{ ...webhook, failurePolicy: 'Ignore', timeoutSeconds: 10 }],
    },
    call(),
  );

  return {
    at: (matches, work) =>
      new Promise((resolve, reject) => {
        const decide = async () => {
          try {
            const allowed = await work();
            resolve();
            return allowed;
          } catch (error) {
            reject(error);
            return true;
          }
        };
        held = { matches, decide };
      }),
    async [Symbol.asyncDispose]() {
      await api.deleteJson(`${path}/hold`, {}, call());
      await server[Symbol.asyncDispose]();
    },
  };
}
