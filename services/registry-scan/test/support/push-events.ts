import { createHmac } from 'node:crypto';

/** A push event, as a registry of one kind sends it when a tag was pushed. */
export interface PushEvent {
  /** Its path at the listener. */
  path: string;
  body: string;
  headers: Record<string, string>;
}

interface Pushed {
  host: string;
  repository: string;
  tag: string;
  digest: string;
  token: string;
}

const json = 'application/json';

/** With all the fields that the registries send, in the way in which they prove who they are. */
export const pushEvents = {
  distribution({ host, repository, tag, digest, token }: Pushed): PushEvent {
    const event = {
      id: '320678d8-ca14-430f-8bb6-4ca139cd83f7',
      timestamp: '2026-11-26T08:00:00.402973972Z',
      action: 'push',
      target: {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest,
        size: 708,
        length: 708,
        repository,
        url: `https://${host}/v2/${repository}/manifests/${digest}`,
        tag,
      },
      request: {
        id: '6df24a34-0959-4923-81ca-14f09767db19',
        addr: '192.0.2.11:42961',
        host,
        method: 'PUT',
        useragent: 'Helm/4.1.4',
      },
      actor: {},
      source: { addr: 'registry:5000', instanceID: '8c1b3d3b-23b8-4f7a-9b0b-3d1c0a1f3a4e' },
    };
    return {
      path: '/events',
      body: JSON.stringify({ events: [event] }),
      headers: {
        'content-type': 'application/vnd.docker.distribution.events.v2+json',
        authorization: `Bearer ${token}`,
      },
    };
  },

  harbor({ host, repository, tag, digest, token }: Pushed): PushEvent {
    const [namespace, name] = repository.split(/\/(.*)/s);
    const event = {
      type: 'PUSH_ARTIFACT',
      occur_at: 1790000000,
      operator: 'admin',
      event_data: {
        resources: [{ digest, tag, resource_url: `${host}/${repository}:${tag}` }],
        repository: { date_created: 1790000000, name, namespace, repo_full_name: repository, repo_type: 'private' },
      },
    };
    return {
      path: '/events/harbor',
      body: JSON.stringify(event),
      headers: { 'content-type': json, authorization: `Bearer ${token}` },
    };
  },

  zot({ repository, tag, digest, token }: Pushed): PushEvent {
    const data = {
      name: repository,
      reference: tag,
      digest,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      manifest: '{}',
    };
    return {
      path: '/events/zot',
      body: JSON.stringify(data),
      headers: {
        'content-type': json,
        'ce-id': 'b5c4b1ab-8b4c-4a8d-9c4c-7e2c2e0f8d55',
        'ce-source': 'zotregistry.dev',
        'ce-specversion': '1.0',
        'ce-time': '2026-11-26T08:00:00.402973972Z',
        'ce-type': 'zotregistry.image.updated',
        authorization: `Basic ${Buffer.from(`berth:${token}`).toString('base64')}`,
      },
    };
  },

  github({ repository, tag, digest, token }: Pushed): PushEvent {
    const [namespace = '', name] = repository.split(/\/(.*)/s);
    const event = {
      action: 'published',
      registry_package: {
        id: 987654,
        name,
        namespace: namespace.toUpperCase(),
        description: '',
        ecosystem: 'CONTAINER',
        package_type: 'CONTAINER',
        html_url: `https://github.com/orgs/${namespace}/packages/container/package/${name}`,
        created_at: '2026-11-26T08:00:00Z',
        updated_at: '2026-11-26T08:00:00Z',
        owner: { login: namespace, id: 1, type: 'Organization' },
        package_version: {
          id: 123456,
          version: digest,
          name: digest,
          package_url: `ghcr.io/${repository}:${tag}`,
          container_metadata: { tag: { name: tag, digest }, labels: {}, manifest: {} },
        },
        registry: null,
      },
      organization: { login: namespace, id: 1 },
      sender: { login: 'ada', id: 2, type: 'User' },
    };
    const body = JSON.stringify(event);
    return {
      path: '/events/github',
      body,
      headers: {
        'content-type': json,
        'x-github-event': 'registry_package',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-hub-signature-256': `sha256=${createHmac('sha256', token).update(body).digest('hex')}`,
      },
    };
  },
} satisfies Record<string, (pushed: Pushed) => PushEvent>;
