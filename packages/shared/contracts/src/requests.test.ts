import { operationNamed, operations, refused } from '@berth/testing/contracts/refused-fields';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { resources } from './resources/index.ts';

const id = '6b0e4b1c-2222-4222-8222-222222222222';

const newDeployment = {
  name: 'web',
  kind_id: id,
  cluster_id: id,
  helm_chart_id: id,
  config: {},
  values_override: null,
};

describe('unknown fields', () => {
  test.for(operations.filter(({ body }) => body).map((operation) => [`${operation.resource}.${operation.name}`]))(
    'are refused in the body of %s',
    ([name = '']) => {
      const request = { ...(operationNamed(name).http?.includes('/:id') && { id }), body: { surprise: 1 } };

      // A credential has one of two shapes, so its errors name the body.
      expect(refused(name, request).join()).toMatch(
        name === 'identities.authenticate' ? /body/ : /body\.surprise: is not known here/,
      );
    },
  );

  test.for(operations.filter(({ query }) => query).map((operation) => [`${operation.resource}.${operation.name}`]))(
    'are refused in the query of %s',
    ([name = '']) => {
      expect(refused(name, { id, query: { surprise: '1' } })).toContain('query.surprise: is not known here');
    },
  );

  test('are refused next to the parts of a request', () => {
    expect(refused('deployments.get', { id, body: {} })).toEqual(['body: is not known here']);
  });
});

describe('text that Postgres cannot keep', () => {
  const samples = ['a\0b', 'https://a.example/\0', 'a\ud800b', 'https://a.example/\udc00'];

  /** The parts of a request that may contain text, with their schemas; schemas follow those from which they are derived. */
  function textsOf(request: z.ZodType): Map<string, z.core.$ZodTypes[]> {
    const texts = new Map<string, z.core.$ZodTypes[]>();
    z.toJSONSchema(request, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) => {
        if (zodSchema._zod.def.type !== 'string' && zodSchema._zod.def.type !== 'custom') return;
        const at = path.join('.');
        texts.set(at, [...(texts.get(at) ?? []), zodSchema]);
      },
    });
    return texts;
  }

  test.for(operations.map((operation) => [`${operation.resource}.${operation.name}`, operation] as const))(
    'is refused in every text of %s',
    ([, { request }]) => {
      const taken = [...textsOf(request)].filter(([, schemas]) =>
        schemas.every((schema) => samples.some((sample) => z.safeParse(schema, sample).success)),
      );

      expect(taken.map(([at]) => at)).toEqual([]);
    },
  );
});

describe('an update', () => {
  const updates = resources.flatMap(({ state, operations: { update } }) =>
    state && update?.body instanceof z.ZodObject ? [{ name: update.resource, row: state.row, body: update.body }] : [],
  );

  test.for(updates.map((update) => [update.name, update] as const))(
    'may be empty or not for %s, as specified',
    ([name, { body }]) => {
      expect(body.safeParse({}).success).toBe(name !== 'deployment_kinds');
    },
  );

  test.for(updates.map((update) => [update.name, update] as const))(
    'clears the nullable fields of %s with null',
    ([, { row, body }]) => {
      const clears = (field: string) => body.safeParse({ ...base(body), [field]: null }).success;
      // Fields that are never shown, such as the contents of a secret, cannot be cleared either.
      const nullable = (field: string) => row.shape[field]?.safeParse(null).success ?? false;
      // Credentials and push tokens of registries are removed with null, and are in no row.
      const fields = Object.keys(body.shape).filter((field) => field !== 'credentials' && field !== 'push_token');

      expect(fields.filter(clears)).toEqual(fields.filter(nullable));
    },
  );

  const base = (body: z.ZodObject) => ('name' in body.shape && !body.safeParse({}).success ? { name: 'x' } : {});
});

describe('the names of deployments', () => {
  test.for([
    ['of lower-case letters, digits and dashes pass', 'web-2', true],
    ['may be empty', '', true],
    ['of 63 characters pass', 'a'.repeat(63), true],
    ['of 64 characters do not', 'a'.repeat(64), false],
    ['with upper-case letters do not', 'Web', false],
    ['with spaces inside do not', 'web site', false],
    ['with a dash at the end do not', 'web-', false],
    ['with a dot do not', 'web.site', false],
    ['with an underscore do not', 'web_site', false],
    ['with a line break inside do not', 'web\nsite', false],
  ] as const)('%s', ([, name, fits]) => {
    const rule =
      'body.name: must be a DNS label: at most 63 of a-z, 0-9 and -, beginning and ending with a letter or digit';

    expect(refused('deployments.create', { body: { ...newDeployment, name } })).toEqual(fits ? [] : [rule]);
  });

  test('are empty by default', () => {
    const { name: _, ...nameless } = newDeployment;

    expect(operationNamed('deployments.create').request.parse({ body: nameless })).toMatchObject({
      body: { name: '' },
    });
  });
});

describe('the placement of an env', () => {
  const errorsOf = (body: object) => refused('envs.update', { id, body });

  test.for([
    ['selectors with and without a domain', { node_selector: { 'example.com/pool': 'apps', disk: 'ssd', gpu: '' } }],
    ['one with the longest domain', { node_selector: { [`${'a.'.repeat(126)}a/c`]: 'x', 'x--y.1/c': 'x' } }],
    ['a toleration of a key', { tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }] }],
    ['one of a key and value', { tolerations: [{ key: 'pool', value: 'apps' }] }],
    ['one of everything', { tolerations: [{ operator: 'Exists' }] }],
    ['one for a while', { tolerations: [{ key: 'a', effect: 'NoExecute', tolerationSeconds: 60 }] }],
  ] as const)('may be %s', ([, body]) => {
    expect(errorsOf(body)).toEqual([]);
  });

  test('is refused with one error, not one per entry, if it has too many entries', () => {
    const wrong = Array.from({ length: 10_000 }, (_, index) => `no label ${index}`);

    expect(errorsOf({ node_selector: Object.fromEntries(wrong.map((key) => [key, '!'])), tolerations: wrong })).toEqual(
      ['body.node_selector: must have at most 100 entries', 'body.tolerations: must have at most 100 entries'],
    );
  });

  const many = Array.from({ length: 101 }, (_, index) => index);
  test.for([
    [
      'an invalid key',
      { node_selector: { 'a b\nc;': 'x' } },
      ['body.node_selector.a b\nc;: must be the key of a label, such as example.com/pool'],
    ],
    [
      'keys with an invalid domain',
      { node_selector: { 'a..b/c': 'x' }, tolerations: [{ key: 'a.-b/c', operator: 'Exists' }] },
      [
        'body.node_selector.a..b/c: must be the key of a label, such as example.com/pool',
        'body.tolerations[0].key: must be the key of a label, such as example.com/pool',
      ],
    ],
    [
      'a key with a domain that is too long',
      { tolerations: [{ key: `${'a.'.repeat(126)}ab/c`, operator: 'Exists' }] },
      ['body.tolerations[0].key: must be the key of a label, such as example.com/pool'],
    ],
    ['an invalid value', { node_selector: { a: '$( x' } }, ['body.node_selector.a: must be the value of a label']],
    [
      'too many selectors',
      { node_selector: Object.fromEntries(many.map((index) => [`key-${index}`, 'x'])) },
      ['body.node_selector: must have at most 100 entries'],
    ],
    [
      'too many tolerations',
      { tolerations: many.map((index) => ({ key: `key-${index}` })) },
      ['body.tolerations: must have at most 100 entries'],
    ],
    [
      'an unknown member',
      { tolerations: [{ operator: 'Exists', foo: {} }] },
      ['body.tolerations[0].foo: is not known here'],
    ],
    [
      'no key and no operator',
      { tolerations: [{}] },
      ['body.tolerations[0].operator: must be Exists where there is no key'],
    ],
    [
      'a value with Exists',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      ['body.tolerations[0].value: must be empty with the operator Exists'],
    ],
    [
      'seconds without NoExecute',
      { tolerations: [{ key: 'a', tolerationSeconds: 5 }] },
      ['body.tolerations[0].tolerationSeconds: needs the effect NoExecute'],
    ],
    [
      'an unknown effect',
      { tolerations: [{ key: 'a', effect: 'Never' }] },
      ['body.tolerations[0].effect: must be one of NoSchedule, PreferNoSchedule, NoExecute'],
    ],
  ] as const)('is refused with %s', ([, body, errors]) => {
    expect(errorsOf(body)).toEqual(errors);
  });
});

describe('times', () => {
  const parsed = (expires_at: string) =>
    operationNamed('user_tokens.create').request.parse({ body: { user_id: null, expires_at } });

  test.for([
    ['another zone', '2030-01-01T02:00:00+23:00', '2029-12-31T03:00:00.000Z'],
    ['a fraction of 200 digits', `2030-01-01T00:00:00.5${'0'.repeat(199)}Z`, '2030-01-01T00:00:00.500Z'],
    ['the first moment', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ] as const)('arrive as UTC with milliseconds in %s', ([, sent, arrives]) => {
    expect(parsed(sent)).toMatchObject({ body: { expires_at: arrives } });
  });

  test.for(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-15:00'])(
    'are refused if no table can hold them, such as %s',
    (at) => {
      const rule = 'must lie in the years 1 to 9999';
      expect(refused('user_tokens.create', { body: { user_id: null, expires_at: at } })).toEqual([
        `body.expires_at: ${rule}`,
      ]);
      expect(refused('deployment_tasks.list', { query: { created_from: at } })).toEqual([
        `query.created_from: ${rule}`,
      ]);
    },
  );
});

test('a task is planned at most ten years ahead', () => {
  const planned = (years: number) => {
    const execute_at = new Date(Date.now() + years * 365.25 * 86_400_000).toISOString();
    return { body: { deployment_id: crypto.randomUUID(), operation: { Uninstall: {} }, execute_at } };
  };

  expect(operationNamed('deployment_tasks.create').request.safeParse(planned(9.9)).success).toBe(true);
  for (const years of [10.1, 300, 7_900]) {
    expect(refused('deployment_tasks.create', planned(years))).toEqual([
      'body.execute_at: must lie at most ten years ahead',
    ]);
  }
});

describe('bodies', () => {
  const long = (length: number) => 'x'.repeat(length);

  test.for([
    ['a name that is missing', 'envs.create', { body: {} }, ['body.name: is required']],
    ['a name of spaces', 'envs.create', { body: { name: '   ' } }, ['body.name: must not be empty']],
    [
      'a name of another type',
      'envs.create',
      { body: { name: 7 } },
      ['body.name: Invalid input: expected string, received number'],
    ],
    [
      'a name that is too long',
      'envs.create',
      { body: { name: long(101) } },
      ['body.name: must have at most 100 characters'],
    ],
    ['a name of 100 code points', 'envs.create', { body: { name: '🚢'.repeat(100) } }, []],
    ['a name with a NUL', 'envs.create', { body: { name: 'a\0b' } }, ['body.name: must not contain a NUL character']],
    [
      'half a surrogate pair in a name',
      'envs.create',
      { body: { name: 'a\ud83d' } },
      ['body.name: must be well-formed Unicode'],
    ],
    [
      'a config that is a list',
      'deployments.create',
      { body: { ...newDeployment, config: [] } },
      [expect.stringMatching(/^body\.config: must be a JSON object/)],
    ],
    [
      'a config with a NUL',
      'deployments.create',
      { body: { ...newDeployment, config: { a: ['\0'] } } },
      ['body.config.a[0]: must not contain a NUL character'],
    ],
    [
      'a config with half a surrogate pair in a key',
      'deployments.create',
      { body: { ...newDeployment, config: { 'a\udc00': 1 } } },
      ['body.config: a key must be well-formed Unicode'],
    ],
    [
      'no config',
      'deployments.create',
      { body: { ...newDeployment, config: undefined } },
      ['body.config: is required'],
    ],
    [
      'no props of a resource',
      'deployment_resources.create',
      { body: { type_id: id, deployment_id: id, name: 'x' } },
      ['body.props: is required'],
    ],
    [
      'a config that reaches a prototype',
      'deployments.create',
      { body: { ...newDeployment, config: JSON.parse('{"a":{"__proto__":{}}}') } },
      ['body.config.a: must not have a key named __proto__'],
    ],
    [
      'an override that is missing',
      'deployments.create',
      { body: { ...newDeployment, values_override: undefined } },
      ['body.values_override: is required'],
    ],
    [
      'an id that is not a UUID',
      'deployments.create',
      { body: { ...newDeployment, kind_id: 'x' } },
      ['body.kind_id: must be a UUID'],
    ],
    [
      'a task without an operation',
      'deployment_tasks.create',
      { body: { deployment_id: id, operation: {} } },
      [
        'body.operation: must have exactly one of the keys Install, Upgrade, Reinstall, Recreate, Uninstall, InvokeAction, RestartK8sResource',
      ],
    ],
    [
      'a task with two operations',
      'deployment_tasks.create',
      { body: { deployment_id: id, operation: { Uninstall: {}, Reinstall: { reason: 'x' } } } },
      [expect.stringMatching(/^body\.operation: must have exactly one/)],
    ],
    [
      'a task with an unknown operation',
      'deployment_tasks.create',
      { body: { deployment_id: id, operation: { Destroy: {} } } },
      ['body.operation.Destroy: is not known here', expect.stringMatching(/exactly one/)],
    ],
    [
      'an operation that lacks a field',
      'deployment_tasks.create',
      { body: { deployment_id: id, operation: { Install: { helm_chart_id: id, config_inputs: {} } } } },
      ['body.operation.Install.values_override: is required'],
    ],
    [
      'a task that names the chart before it',
      'deployment_tasks.create',
      {
        body: {
          deployment_id: id,
          operation: {
            Upgrade: { helm_chart_id: id, config_inputs: {}, values_override: null, prev_helm_chart_id: id },
          },
        },
      },
      [],
    ],
    ['a cancellation without a body', 'deployment_tasks.cancel', { id }, []],
    [
      'a cancellation with a long reason',
      'deployment_tasks.cancel',
      { id, body: { reason: long(501) } },
      ['body.reason: must have at most 500 characters'],
    ],
    [
      'an icon with other characters',
      'helm_registries.update',
      { id, body: { fa_icon: 'a<b' } },
      ['body.fa_icon: may only contain a-z, 0-9, spaces and dashes'],
    ],
    [
      'a link that runs a script',
      'k8s_clusters.update',
      { id, body: { metrics_url: 'javascript:alert(1)' } },
      ['body.metrics_url: must be an http or https URL'],
    ],
    [
      'a link with a space in it',
      'k8s_clusters.update',
      { id, body: { metrics_url: 'https://example.com/a b' } },
      ['body.metrics_url: must not contain spaces or control characters'],
    ],
    [
      'an invalid domain',
      'k8s_clusters.update',
      { id, body: { ingress_domain: 'a..b' } },
      ['body.ingress_domain: must be a DNS name such as apps.example.com'],
    ],
    ['a user token for the caller', 'user_tokens.create', { body: { user_id: null } }, []],
    ['a user token for nobody', 'user_tokens.create', { body: {} }, ['body.user_id: is required']],
    [
      'a role that does not exist',
      'env_user_permissions.create',
      { body: { env_id: id, user_id: id, role: 'Owner' } },
      [expect.stringMatching(/^body\.role: /)],
    ],
    [
      'a login with a foreign challenge',
      'logins.start',
      { query: { challenge: 'short' } },
      ['query.challenge: must be the base64url of a SHA-256 hash'],
    ],
    ['a path id that is not a UUID', 'deployments.get', { id: 'x' }, ['id: must be a UUID']],
  ] as const)('%s', ([, name, request, errors]) => {
    expect(refused(name, request)).toEqual(errors);
  });

  const secret = { env_id: id, collection: 'tls', name: 'key', contents: '' };
  test.for<[number, string, string, object]>([
    [100, 'display_name', 'bots.create', {}],
    [100, 'name', 'deployment_kinds.update', { id }],
    [100, 'name', 'deployment_resources.create', { body: { type_id: id, deployment_id: id, props: {} } }],
    [64 * 1024, 'description_md', 'deployments.update', { id }],
    [100, 'name', 'envs.update', { id }],
    [100, 'fa_icon', 'helm_registries.update', { id }],
    [500, 'pattern', 'helm_tag_formats.create', {}],
    [100, 'ingress_class', 'k8s_clusters.update', { id }],
    [100, 'ingress_tls_secret_name', 'k8s_clusters.update', { id }],
    [100, 'metrics_datasource_name', 'k8s_clusters.update', { id }],
    [2048, 'metrics_url', 'k8s_clusters.update', { id }],
    [100, 'collection', 'secrets.create', { body: secret }],
    [100, 'name', 'secrets.create', { body: secret }],
    [100, 'name', 'user_tokens.create', { body: { user_id: null } }],
  ])('may have %i characters in %s of %s, and not one more', ([most, field, name, others]) => {
    const prefix = field === 'metrics_url' ? 'https://a/' : '';
    const refusedWith = (length: number) =>
      refused(name, {
        ...others,
        body: { ...('body' in others && Object(others.body)), [field]: prefix + long(length) },
      });

    expect(refusedWith(most - prefix.length)).toEqual([]);
    expect(refusedWith(most + 1 - prefix.length)).toEqual([`body.${field}: must have at most ${most} characters`]);
  });

  test('keep text and links trimmed, names of domains and ids in lower case', () => {
    const parsed = operationNamed('k8s_clusters.update').request.parse({
      id: id.toUpperCase(),
      body: {
        ingress_domain: ' Apps.Example.COM ',
        ingress_class: ' nginx ',
        metrics_url: ' https://m.example.com/a?b ',
      },
    });

    expect(parsed).toEqual({
      id,
      body: { ingress_domain: 'apps.example.com', ingress_class: 'nginx', metrics_url: 'https://m.example.com/a?b' },
    });
  });

  test('keep the contents of a secret as they are', () => {
    const body = { env_id: id, collection: 'tls', name: 'key', contents: ' \nsecret\n' };

    expect(operationNamed('secrets.create').request.parse({ body })).toEqual({ body });
  });

  test.for([
    ['letters', 'x', 1],
    ['emoji', '\u{1f6a2}', 4],
    ['letters with accents', '\u00e9', 2],
  ] as const)('accept contents of 256 KiB of %s and not a byte more', ([, character, bytes]) => {
    const { request } = operationNamed('secrets.create');
    const withContents = (contents: string) =>
      request.safeParse({ body: { env_id: id, collection: 'tls', name: 'key', contents } }).error?.issues;
    const largest = character.repeat((256 * 1024) / bytes);

    expect(withContents(largest)).toBeUndefined();
    expect(withContents(`${largest}x`)).toMatchObject([
      { path: ['body', 'contents'], message: 'must take at most 262144 bytes' },
    ]);
  });
});
