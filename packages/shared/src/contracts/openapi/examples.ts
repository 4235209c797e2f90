import type { JsonValue } from '../fields/json.ts';

/** What an operation was sent, and what it answered. */
export type Examples = Record<string, { body?: JsonValue; answer?: JsonValue }>;

/** By operation; requests to a platform that were written down by `npm run bench -- examples`. */
export const examples: Examples = {
  'audit_events.get': {
    answer: {
      id: 'dcddf659-6a6a-4150-8ed6-c7eb4d4fea91',
      at: '2026-11-22T17:01:39.665Z',
      service: 'tasks',
      actor: {
        kind: 'user',
        id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
        token_id: '0f922695-4e87-4615-948e-856c6c0dbd93',
      },
      operation: 'delete',
      object: {
        resource: 'deployment_resources',
        id: '0920b2e3-1a37-4aa8-9a05-3a3dd6c3e693',
      },
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      result: 'done',
      times: 1,
      before: null,
      after: null,
      details: {
        name: 'start',
        type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
        deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      },
      request_id: 'a19d1cdd-895b-4219-bc6f-e393fb025f3d',
    },
  },
  'audit_events.list': {
    answer: {
      items: [
        {
          id: 'dcddf659-6a6a-4150-8ed6-c7eb4d4fea91',
          at: '2026-11-22T17:01:39.665Z',
          service: 'tasks',
          actor: {
            kind: 'user',
            id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
            token_id: '0f922695-4e87-4615-948e-856c6c0dbd93',
          },
          operation: 'delete',
          object: {
            resource: 'deployment_resources',
            id: '0920b2e3-1a37-4aa8-9a05-3a3dd6c3e693',
          },
          env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
          result: 'done',
          times: 1,
          before: null,
          after: null,
          details: {
            name: 'start',
            type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
            deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
          },
          request_id: 'a19d1cdd-895b-4219-bc6f-e393fb025f3d',
        },
      ],
      next: 'MTc5NTM2Njg5OTY2NTAwMCBkY2RkZjY1OS02YTZhLTQxNTAtOGVkNi1jN2ViNGQ0ZmVhOTE',
    },
  },
  'bot_tokens.create': {
    body: {
      bot_id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
      name: 'pipeline',
    },
    answer: {
      created_token: 'T0kJ4mExampleOnly0000A.not-a-token',
    },
  },
  'bot_tokens.delete': {},
  'bot_tokens.get': {
    answer: {
      id: '67bc2764-012a-4120-bf0d-0868db977f44',
      bot_id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
      created_at: '2026-11-22T17:01:17.499Z',
      created_by_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      name: 'pipeline',
      expires_at: null,
      last_used_at: null,
    },
  },
  'bot_tokens.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: '67bc2764-012a-4120-bf0d-0868db977f44',
          bot_id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
          created_at: '2026-11-22T17:01:17.499Z',
          created_by_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
          name: 'pipeline',
          expires_at: null,
          last_used_at: null,
        },
      ],
      num_total: 1,
    },
  },
  'bots.create': {
    body: {
      display_name: 'CI',
    },
    answer: {
      id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
      created_at: '2026-11-22T17:01:17.325Z',
      display_name: 'CI',
      is_active: true,
    },
  },
  'bots.delete': {},
  'bots.get': {
    answer: {
      id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
      created_at: '2026-11-22T17:01:17.325Z',
      display_name: 'CI of the shop',
      is_active: true,
    },
  },
  'bots.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
          created_at: '2026-11-22T17:01:17.325Z',
          display_name: 'CI of the shop',
          is_active: true,
        },
      ],
      num_total: 1,
    },
  },
  'bots.update': {
    body: {
      display_name: 'CI of the shop',
    },
    answer: {
      id: 'e10cc814-e045-4498-9b4e-24069c3f165a',
      created_at: '2026-11-22T17:01:17.325Z',
      display_name: 'CI of the shop',
      is_active: true,
    },
  },
  'deployment_kinds.get': {
    answer: {
      id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      created_at: '2026-11-22T17:01:14.941Z',
      name: 'hello-web',
    },
  },
  'deployment_kinds.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
          created_at: '2026-11-22T17:01:14.941Z',
          name: 'hello-web',
        },
      ],
      num_total: 1,
    },
  },
  'deployment_kinds.update': {
    body: {
      name: 'hello-web',
    },
    answer: {
      id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      created_at: '2026-11-22T17:01:14.941Z',
      name: 'hello-web',
    },
  },
  'deployment_permissions.create': {
    body: {
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      role: 'Maintainer',
    },
    answer: {
      id: '0593b166-c369-48aa-b01e-de10113f80bb',
      created_at: '2026-11-22T17:01:17.197Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      role: 'Maintainer',
    },
  },
  'deployment_permissions.delete': {},
  'deployment_permissions.get': {
    answer: {
      id: '0593b166-c369-48aa-b01e-de10113f80bb',
      created_at: '2026-11-22T17:01:17.197Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      role: 'Maintainer',
    },
  },
  'deployment_permissions.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: '0593b166-c369-48aa-b01e-de10113f80bb',
          created_at: '2026-11-22T17:01:17.197Z',
          env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
          user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
          kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
          role: 'Maintainer',
        },
      ],
      num_total: 1,
    },
  },
  'deployment_plans.of_creation': {
    body: {
      name: 'shop',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      config: {
        greeting: 'Hello from Berth',
        replicas: 2,
      },
      values_override: null,
    },
    answer: {
      etag: null,
      tasks: [
        {
          operation: 'Install',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
        },
      ],
      reinstalls: [],
      objects: [
        {
          action: 'create',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          api_version: 'v1',
          kind: 'Namespace',
          namespace: null,
          name: 'hello-web-shop',
          reason: null,
          fields: [],
        },
        {
          action: 'create',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          api_version: 'v1',
          kind: 'ConfigMap',
          namespace: 'hello-web-shop',
          name: 'hello-web-shop',
          reason: null,
          fields: [],
        },
        {
          action: 'create',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          api_version: 'v1',
          kind: 'Service',
          namespace: 'hello-web-shop',
          name: 'hello-web-shop',
          reason: null,
          fields: [],
        },
        {
          action: 'create',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          api_version: 'apps/v1',
          kind: 'Deployment',
          namespace: 'hello-web-shop',
          name: 'hello-web-shop',
          reason: null,
          fields: [],
        },
      ],
      hooks: [],
      unchanged: 0,
      cut: {
        objects: 0,
        fields: 0,
        values: 0,
        hooks: 0,
      },
    },
  },
  'deployment_plans.of_update': {
    body: {
      config: {
        greeting: 'Hello from Berth',
        replicas: 1,
      },
    },
    answer: {
      etag: '"uczFk4DCxYwd-C3zj6ZO8PEZ1lB"',
      tasks: [
        {
          operation: 'Upgrade',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
        },
      ],
      reinstalls: [],
      objects: [
        {
          action: 'change',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          api_version: 'apps/v1',
          kind: 'Deployment',
          namespace: 'hello-web-shop',
          name: 'hello-web-shop',
          reason: null,
          fields: [
            {
              path: '/spec/replicas',
              before: 2,
              after: 1,
              hidden: false,
            },
          ],
        },
      ],
      hooks: [],
      unchanged: 2,
      cut: {
        objects: 0,
        fields: 0,
        values: 0,
        hooks: 0,
      },
    },
  },
  'deployment_resource_types.get': {
    answer: {
      id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
      created_at: '2026-11-22T17:01:29.005Z',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      deployment_kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      key: 'page',
      spec: {
        global: false,
        lifecycle: {
          create: {
            allowed_role: 'Maintainer',
          },
          delete: {
            allowed_role: 'Owner',
          },
          update: {
            allowed_role: 'Maintainer',
          },
        },
        values_ui: {
          inputs: [
            {
              id: 'title',
              type: 'text',
              label: 'Title',
              required: true,
              sensitive: false,
            },
            {
              id: 'password',
              type: 'text',
              label: 'Password of its editors',
              required: false,
              sensitive: true,
            },
          ],
          outputs: {
            values: [],
            secrets: {},
          },
        },
        name_plural: 'Pages',
        iconset_icon: 'file',
        name_singular: 'Page',
      },
    },
  },
  'deployment_resource_types.list': {
    answer: {
      page: 1,
      per_page: 50,
      items: [
        {
          id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
          created_at: '2026-11-22T17:01:29.005Z',
          env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
          deployment_kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
          key: 'page',
          spec: {
            global: false,
            lifecycle: {
              create: {
                allowed_role: 'Maintainer',
              },
              delete: {
                allowed_role: 'Owner',
              },
              update: {
                allowed_role: 'Maintainer',
              },
            },
            values_ui: {
              inputs: [
                {
                  id: 'title',
                  type: 'text',
                  label: 'Title',
                  required: true,
                  sensitive: false,
                },
                {
                  id: 'password',
                  type: 'text',
                  label: 'Password of its editors',
                  required: false,
                  sensitive: true,
                },
              ],
              outputs: {
                values: [],
                secrets: {},
              },
            },
            name_plural: 'Pages',
            iconset_icon: 'file',
            name_singular: 'Page',
          },
        },
      ],
      num_total: 1,
    },
  },
  'deployment_resources.create': {
    body: {
      type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      name: 'start',
      props: {
        title: 'Start',
      },
    },
    answer: {
      id: '0920b2e3-1a37-4aa8-9a05-3a3dd6c3e693',
      created_at: '2026-11-22T17:01:39.236Z',
      type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      name: 'start',
      exists: true,
      props: {
        title: 'Start',
      },
      sync_status: 'Ready',
      sync_reason: null,
    },
  },
  'deployment_resources.delete': {},
  'deployment_resources.get': {
    answer: {
      id: '0920b2e3-1a37-4aa8-9a05-3a3dd6c3e693',
      created_at: '2026-11-22T17:01:39.236Z',
      type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      name: 'start',
      exists: true,
      props: {
        title: 'Start',
      },
      sync_status: 'Ready',
      sync_reason: null,
    },
  },
  'deployment_resources.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [],
      num_total: 0,
    },
  },
  'deployment_resources.update': {
    body: {
      props: {
        title: 'Home',
      },
    },
    answer: {
      id: '0920b2e3-1a37-4aa8-9a05-3a3dd6c3e693',
      created_at: '2026-11-22T17:01:39.236Z',
      type_id: 'ab7c2e61-c97b-43f4-ab75-803ca5e74a38',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      name: 'start',
      exists: true,
      props: {
        title: 'Home',
      },
      sync_status: 'Ready',
      sync_reason: null,
    },
  },
  'deployment_tasks.cancel': {
    body: {
      reason: 'not needed any more',
    },
    answer: {
      id: 'ec1c0d02-e1ff-4943-b5c6-68a111e0156a',
      created_at: '2026-11-22T17:01:38.721Z',
      execute_at: '2030-01-01T00:00:00.000Z',
      first_attempted_at: null,
      started_at: null,
      finished_at: '2026-11-22T17:01:38.880Z',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      acting_deployment_id: null,
      canceled_by_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      canceled_by_deployment_id: null,
      operation: {
        Reinstall: {
          reason: 'to pick up a new certificate',
        },
      },
      status: 'Canceled',
      reason: 'not needed any more',
      attempts: 0,
    },
  },
  'deployment_tasks.create': {
    body: {
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      operation: {
        Reinstall: {
          reason: 'to pick up a new certificate',
        },
      },
      execute_at: '2030-01-01T00:00:00.000Z',
    },
    answer: {
      id: 'ec1c0d02-e1ff-4943-b5c6-68a111e0156a',
      created_at: '2026-11-22T17:01:38.721Z',
      execute_at: '2030-01-01T00:00:00.000Z',
      first_attempted_at: null,
      started_at: null,
      finished_at: null,
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      acting_deployment_id: null,
      canceled_by_user_id: null,
      canceled_by_deployment_id: null,
      operation: {
        Reinstall: {
          reason: 'to pick up a new certificate',
        },
      },
      status: 'Pending',
      reason: 'scheduled for 2030-01-01T00:00:00.000Z',
      attempts: 0,
    },
  },
  'deployment_tasks.get': {
    answer: {
      id: 'ec1c0d02-e1ff-4943-b5c6-68a111e0156a',
      created_at: '2026-11-22T17:01:38.721Z',
      execute_at: '2030-01-01T00:00:00.000Z',
      first_attempted_at: null,
      started_at: null,
      finished_at: '2026-11-22T17:01:38.880Z',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      acting_deployment_id: null,
      canceled_by_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      canceled_by_deployment_id: null,
      operation: {
        Reinstall: {
          reason: 'to pick up a new certificate',
        },
      },
      status: 'Canceled',
      reason: 'not needed any more',
      attempts: 0,
    },
  },
  'deployment_tasks.list': {
    answer: {
      page: 1,
      per_page: 50,
      items: [
        {
          id: '128a7719-d6ac-4c65-931b-e92179f7a097',
          created_at: '2026-11-22T17:01:23.442Z',
          execute_at: '2026-11-22T17:01:23.442Z',
          first_attempted_at: '2026-11-22T17:01:23.679Z',
          started_at: '2026-11-22T17:01:23.679Z',
          finished_at: '2026-11-22T17:01:29.141Z',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
          acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
          acting_deployment_id: null,
          canceled_by_user_id: null,
          canceled_by_deployment_id: null,
          operation: {
            Install: {
              helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
              config_inputs: {
                greeting: 'Hello from Berth',
                replicas: 2,
              },
              values_override: null,
            },
          },
          status: 'Done',
          reason: null,
          attempts: 1,
        },
      ],
      num_total: 1,
    },
  },
  'deployment_tasks.retry': {
    answer: {
      id: '00c54c99-f9b8-45af-b33a-c44963f7ef84',
      created_at: '2026-11-22T17:01:39.124Z',
      execute_at: '2026-11-22T17:01:39.124Z',
      first_attempted_at: null,
      started_at: null,
      finished_at: null,
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      acting_deployment_id: null,
      canceled_by_user_id: null,
      canceled_by_deployment_id: null,
      operation: {
        Reinstall: {
          reason: 'to pick up a new certificate',
        },
      },
      status: 'Pending',
      reason: 'no free runner',
      attempts: 0,
    },
  },
  'deployment_tasks.rollback': {
    body: {
      task_id: '128a7719-d6ac-4c65-931b-e92179f7a097',
    },
    answer: {
      id: '83fa101f-9aef-4d9f-8ee5-52b490198b12',
      created_at: '2026-11-22T17:01:33.013Z',
      execute_at: '2026-11-22T17:01:33.013Z',
      first_attempted_at: null,
      started_at: null,
      finished_at: null,
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      acting_user_id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
      acting_deployment_id: null,
      canceled_by_user_id: null,
      canceled_by_deployment_id: null,
      operation: {
        Upgrade: {
          helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
          config_inputs: {
            greeting: 'Hello from Berth',
            replicas: 2,
          },
          values_override: null,
          prev_helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
          config_delta: {
            replicas: [1, 2],
          },
          rollback_to_task_id: '128a7719-d6ac-4c65-931b-e92179f7a097',
        },
      },
      status: 'Pending',
      reason: 'waiting for task 356ec202-c3fb-4977-82e2-1ad10c084b0f',
      attempts: 0,
    },
  },
  'deployments.create': {
    body: {
      name: 'shop',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      config: {
        greeting: 'Hello from Berth',
        replicas: 2,
      },
      values_override: null,
    },
    answer: {
      id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      created_at: '2026-11-22T17:01:23.251Z',
      name: 'shop',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      namespace: 'hello-web-shop',
      enabled: true,
      status: 'Unknown',
      description_md: null,
      reason: null,
      revision_id: null,
      reported_status: null,
      helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      config: {
        greeting: 'Hello from Berth',
        replicas: 2,
      },
      values_override: null,
    },
  },
  'deployments.delete': {},
  'deployments.get': {
    answer: {
      id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      created_at: '2026-11-22T17:01:23.251Z',
      name: 'shop',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      namespace: 'hello-web-shop',
      enabled: true,
      status: 'Unknown',
      description_md: null,
      reason: null,
      revision_id: null,
      reported_status: null,
      helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      config: {
        greeting: 'Hello from Berth',
        replicas: 2,
      },
      values_override: null,
    },
  },
  'deployments.k8s_events': {
    answer: {
      page: 1,
      per_page: 50,
      items: [
        {
          uid: 'bf3d1002-92e0-445e-b708-0dc11f7fd8e2',
          type: 'Normal',
          reason: 'Scheduled',
          message: 'Successfully assigned hello-web-shop/hello-web-shop-5578fdb7df-qsjrk to simulated-3',
          count: 1,
          first_seen_at: '2026-11-22T17:01:36.520Z',
          last_seen_at: '2026-11-22T17:01:36.520Z',
          object: {
            kind: 'Pod',
            name: 'hello-web-shop-5578fdb7df-qsjrk',
            resource_id: '9d39294d-7817-5ce2-8304-77b5d6333e47',
          },
          source: 'default-scheduler',
        },
      ],
      num_total: 10,
      incomplete: false,
    },
  },
  'deployments.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
          created_at: '2026-11-22T17:01:23.251Z',
          name: 'shop',
          kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
          env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          namespace: 'hello-web-shop',
          enabled: true,
          status: 'Upgrading',
          description_md: null,
          reason: null,
          revision_id: '83fa101f-9aef-4d9f-8ee5-52b490198b12',
          reported_status: null,
          helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
          config: {
            greeting: 'Hello from Berth',
            replicas: 2,
          },
          values_override: null,
        },
      ],
      num_total: 1,
    },
  },
  'deployments.update': {
    body: {
      config: {
        greeting: 'Hello from Berth',
        replicas: 1,
      },
    },
    answer: {
      id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      created_at: '2026-11-22T17:01:23.251Z',
      name: 'shop',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      namespace: 'hello-web-shop',
      enabled: true,
      status: 'Running',
      description_md: null,
      reason: null,
      revision_id: '128a7719-d6ac-4c65-931b-e92179f7a097',
      reported_status: null,
      helm_chart_id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      config: {
        greeting: 'Hello from Berth',
        replicas: 1,
      },
      values_override: null,
    },
  },
  'env_user_permissions.create': {
    body: {
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      role: 'User',
    },
    answer: {
      id: '6e94e8ec-fead-4bde-9271-285c914acda2',
      created_at: '2026-11-22T17:01:16.972Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      role: 'User',
    },
  },
  'env_user_permissions.delete': {},
  'env_user_permissions.get': {
    answer: {
      id: '6e94e8ec-fead-4bde-9271-285c914acda2',
      created_at: '2026-11-22T17:01:16.972Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      role: 'Admin',
    },
  },
  'env_user_permissions.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: '6e94e8ec-fead-4bde-9271-285c914acda2',
          created_at: '2026-11-22T17:01:16.972Z',
          env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
          user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
          role: 'Admin',
        },
      ],
      num_total: 1,
    },
  },
  'env_user_permissions.update': {
    body: {
      role: 'Admin',
    },
    answer: {
      id: '6e94e8ec-fead-4bde-9271-285c914acda2',
      created_at: '2026-11-22T17:01:16.972Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      role: 'Admin',
    },
  },
  'envs.create': {
    body: {
      name: 'staging',
      auto_add_new_users: false,
    },
    answer: {
      id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      created_at: '2026-11-22T17:01:16.165Z',
      name: 'staging',
      node_selector: null,
      tolerations: null,
      auto_add_new_users: false,
    },
  },
  'envs.delete': {},
  'envs.get': {
    answer: {
      id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      created_at: '2026-11-22T17:01:16.165Z',
      name: 'staging',
      node_selector: {
        zone: 'eu-1',
      },
      tolerations: null,
      auto_add_new_users: false,
    },
  },
  'envs.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'f5611f92-b109-41d9-a897-1123b47f0718',
          created_at: '2026-11-22T17:01:16.165Z',
          name: 'staging',
          node_selector: {
            zone: 'eu-1',
          },
          tolerations: null,
          auto_add_new_users: false,
        },
      ],
      num_total: 2,
    },
  },
  'envs.update': {
    body: {
      node_selector: {
        zone: 'eu-1',
      },
    },
    answer: {
      id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      created_at: '2026-11-22T17:01:16.165Z',
      name: 'staging',
      node_selector: {
        zone: 'eu-1',
      },
      tolerations: null,
      auto_add_new_users: false,
    },
  },
  'helm_charts.get': {
    answer: {
      id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
      created_at: '2026-11-22T17:01:14.941Z',
      helm_registry_id: 'dc046fe1-998a-4096-943d-0e38b8825278',
      image_digest: 'sha256:3f8dbb47f87fce912a37002537f3e119c8d526e40210e7cfc3a3b9a628e23df4',
      image_tag: '1.0.0',
      available: true,
      values_ui: {
        inputs: [
          {
            id: 'greeting',
            type: 'text',
            label: 'Greeting',
            helpText: 'What the page says.',
            required: true,
            sensitive: false,
            initialValue: 'Hello',
          },
          {
            id: 'replicas',
            step: '1',
            type: 'number',
            label: 'Replicas',
            maximum: '10',
            minimum: '1',
            required: false,
            sensitive: false,
            initialValue: 1,
          },
          {
            id: 'size',
            type: 'RadioSelect',
            label: 'Size',
            options: [
              {
                label: 'Small',
                value: 'small',
                helpText: 'For trying out',
              },
              {
                label: 'Medium',
                value: 'medium',
              },
              {
                label: 'Large',
                value: 'large',
              },
            ],
            required: false,
            sensitive: false,
            initialValue: 'small',
          },
          {
            id: 'keep_data',
            type: 'Checkbox',
            label: 'Keep data on a volume',
            required: false,
            sensitive: false,
            initialValue: false,
          },
          {
            id: 'volume_size',
            type: 'number',
            label: 'Volume size in GiB',
            maximum: '100',
            minimum: '1',
            required: false,
            sensitive: false,
            showIfAll: [
              {
                field: 'keep_data',
                value: true,
              },
            ],
            initialValue: 1,
          },
          {
            id: 'token',
            type: 'CollectionSelect',
            label: 'Token',
            helpText: 'A secret of the env that the page is given as an environment variable.',
            required: false,
            sensitive: false,
            collection: 'secrets',
          },
        ],
        outputs: {
          values: [
            {
              path: ['greeting'],
              value: {
                FieldValue: {
                  input: 'greeting',
                },
              },
            },
            {
              path: ['replicas'],
              value: {
                FieldValue: {
                  input: 'replicas',
                },
              },
            },
            {
              path: ['size'],
              value: {
                FieldValue: {
                  input: 'size',
                },
              },
            },
            {
              path: ['persistence', 'enabled'],
              value: {
                FieldValue: {
                  input: 'keep_data',
                },
              },
            },
            {
              path: ['persistence', 'gibibytes'],
              value: {
                FieldValue: {
                  input: 'volume_size',
                },
              },
            },
            {
              path: ['podAnnotations', 'token-changed-at'],
              value: {
                FieldProperty: {
                  input: 'token',
                  property: 'updated_at',
                },
              },
            },
          ],
          secrets: {
            'hello-web': {
              token: {
                FieldProperty: {
                  input: 'token',
                  property: 'contents',
                },
              },
            },
          },
        },
      },
      actions_schema: {
        actions: [
          {
            id: 'say',
            path: '/say',
            title: 'Say something else',
            method: 'POST',
            endpoint: 'standard_ingress',
            dangerous: false,
            ui_schema: {
              inputs: [
                {
                  id: 'words',
                  type: 'text',
                  label: 'Words',
                  required: true,
                  sensitive: false,
                },
              ],
              outputs: {
                values: [
                  {
                    path: ['words'],
                    value: {
                      FieldValue: {
                        input: 'words',
                      },
                    },
                  },
                ],
                secrets: {},
              },
            },
            description: 'Changes what the page says until it starts again.',
            allowed_role: 'Maintainer',
            iconset_icon: 'bullhorn',
            allowed_on_statuses: [],
          },
        ],
      },
      features: {
        wait: {
          enabled: true,
          timeout_secs: 120,
        },
        display: {
          icon: {
            font_awesome: 'globe',
          },
        },
        ingress: {
          enabled: false,
          hostname_format: 'KindAndName',
        },
        cardinality: 'Many',
        tolerations_paths: [],
        node_selector_paths: [],
        reinstall_dependencies: true,
      },
      resource_types: {
        page: {
          global: false,
          lifecycle: {
            create: {
              allowed_role: 'Maintainer',
            },
            delete: {
              allowed_role: 'Owner',
            },
            update: {
              allowed_role: 'Maintainer',
            },
          },
          values_ui: {
            inputs: [
              {
                id: 'title',
                type: 'text',
                label: 'Title',
                required: true,
                sensitive: false,
              },
              {
                id: 'password',
                type: 'text',
                label: 'Password of its editors',
                required: false,
                sensitive: true,
              },
            ],
            outputs: {
              values: [],
              secrets: {},
            },
          },
          name_plural: 'Pages',
          iconset_icon: 'file',
          name_singular: 'Page',
        },
      },
      error: null,
      tag_format_id: 'dc8fc0fb-b15e-4775-bf70-7d42941b57c0',
      parsed_version: '1.0.0',
      parsed_revision: null,
      parsed_branch: null,
      parsed_commit: null,
    },
  },
  'helm_charts.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'a7a9a238-c841-4b26-8cba-c2bdb14429e8',
          created_at: '2026-11-22T17:01:14.941Z',
          helm_registry_id: 'dc046fe1-998a-4096-943d-0e38b8825278',
          image_digest: 'sha256:3f8dbb47f87fce912a37002537f3e119c8d526e40210e7cfc3a3b9a628e23df4',
          image_tag: '1.0.0',
          available: true,
          values_ui: {
            inputs: [
              {
                id: 'greeting',
                type: 'text',
                label: 'Greeting',
                helpText: 'What the page says.',
                required: true,
                sensitive: false,
                initialValue: 'Hello',
              },
              {
                id: 'replicas',
                step: '1',
                type: 'number',
                label: 'Replicas',
                maximum: '10',
                minimum: '1',
                required: false,
                sensitive: false,
                initialValue: 1,
              },
              {
                id: 'size',
                type: 'RadioSelect',
                label: 'Size',
                options: [
                  {
                    label: 'Small',
                    value: 'small',
                    helpText: 'For trying out',
                  },
                  {
                    label: 'Medium',
                    value: 'medium',
                  },
                  {
                    label: 'Large',
                    value: 'large',
                  },
                ],
                required: false,
                sensitive: false,
                initialValue: 'small',
              },
              {
                id: 'keep_data',
                type: 'Checkbox',
                label: 'Keep data on a volume',
                required: false,
                sensitive: false,
                initialValue: false,
              },
              {
                id: 'volume_size',
                type: 'number',
                label: 'Volume size in GiB',
                maximum: '100',
                minimum: '1',
                required: false,
                sensitive: false,
                showIfAll: [
                  {
                    field: 'keep_data',
                    value: true,
                  },
                ],
                initialValue: 1,
              },
              {
                id: 'token',
                type: 'CollectionSelect',
                label: 'Token',
                helpText: 'A secret of the env that the page is given as an environment variable.',
                required: false,
                sensitive: false,
                collection: 'secrets',
              },
            ],
            outputs: {
              values: [
                {
                  path: ['greeting'],
                  value: {
                    FieldValue: {
                      input: 'greeting',
                    },
                  },
                },
                {
                  path: ['replicas'],
                  value: {
                    FieldValue: {
                      input: 'replicas',
                    },
                  },
                },
                {
                  path: ['size'],
                  value: {
                    FieldValue: {
                      input: 'size',
                    },
                  },
                },
                {
                  path: ['persistence', 'enabled'],
                  value: {
                    FieldValue: {
                      input: 'keep_data',
                    },
                  },
                },
                {
                  path: ['persistence', 'gibibytes'],
                  value: {
                    FieldValue: {
                      input: 'volume_size',
                    },
                  },
                },
                {
                  path: ['podAnnotations', 'token-changed-at'],
                  value: {
                    FieldProperty: {
                      input: 'token',
                      property: 'updated_at',
                    },
                  },
                },
              ],
              secrets: {
                'hello-web': {
                  token: {
                    FieldProperty: {
                      input: 'token',
                      property: 'contents',
                    },
                  },
                },
              },
            },
          },
          actions_schema: {
            actions: [
              {
                id: 'say',
                path: '/say',
                title: 'Say something else',
                method: 'POST',
                endpoint: 'standard_ingress',
                dangerous: false,
                ui_schema: {
                  inputs: [
                    {
                      id: 'words',
                      type: 'text',
                      label: 'Words',
                      required: true,
                      sensitive: false,
                    },
                  ],
                  outputs: {
                    values: [
                      {
                        path: ['words'],
                        value: {
                          FieldValue: {
                            input: 'words',
                          },
                        },
                      },
                    ],
                    secrets: {},
                  },
                },
                description: 'Changes what the page says until it starts again.',
                allowed_role: 'Maintainer',
                iconset_icon: 'bullhorn',
                allowed_on_statuses: [],
              },
            ],
          },
          features: {
            wait: {
              enabled: true,
              timeout_secs: 120,
            },
            display: {
              icon: {
                font_awesome: 'globe',
              },
            },
            ingress: {
              enabled: false,
              hostname_format: 'KindAndName',
            },
            cardinality: 'Many',
            tolerations_paths: [],
            node_selector_paths: [],
            reinstall_dependencies: true,
          },
          resource_types: {
            page: {
              global: false,
              lifecycle: {
                create: {
                  allowed_role: 'Maintainer',
                },
                delete: {
                  allowed_role: 'Owner',
                },
                update: {
                  allowed_role: 'Maintainer',
                },
              },
              values_ui: {
                inputs: [
                  {
                    id: 'title',
                    type: 'text',
                    label: 'Title',
                    required: true,
                    sensitive: false,
                  },
                  {
                    id: 'password',
                    type: 'text',
                    label: 'Password of its editors',
                    required: false,
                    sensitive: true,
                  },
                ],
                outputs: {
                  values: [],
                  secrets: {},
                },
              },
              name_plural: 'Pages',
              iconset_icon: 'file',
              name_singular: 'Page',
            },
          },
          error: null,
          tag_format_id: 'dc8fc0fb-b15e-4775-bf70-7d42941b57c0',
          parsed_version: '1.0.0',
          parsed_revision: null,
          parsed_branch: null,
          parsed_commit: null,
        },
      ],
      num_total: 1,
    },
  },
  'helm_registries.get': {
    answer: {
      id: 'dc046fe1-998a-4096-943d-0e38b8825278',
      created_at: '2026-11-22T17:01:14.941Z',
      domain_name: 'host.example.com',
      repo_name: 'charts/hello-web',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      available: true,
      fa_icon: 'store',
      provider: 'Oci',
    },
  },
  'helm_registries.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'dc046fe1-998a-4096-943d-0e38b8825278',
          created_at: '2026-11-22T17:01:14.941Z',
          domain_name: 'host.example.com',
          repo_name: 'charts/hello-web',
          kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
          available: true,
          fa_icon: 'store',
          provider: 'Oci',
        },
      ],
      num_total: 1,
    },
  },
  'helm_registries.update': {
    body: {
      fa_icon: 'store',
    },
    answer: {
      id: 'dc046fe1-998a-4096-943d-0e38b8825278',
      created_at: '2026-11-22T17:01:14.941Z',
      domain_name: 'host.example.com',
      repo_name: 'charts/hello-web',
      kind_id: 'f811bea0-a620-412a-8510-a04c584ea4fe',
      available: true,
      fa_icon: 'store',
      provider: 'Oci',
    },
  },
  'helm_tag_formats.create': {
    body: {
      pattern: '^(?<version>\\d+\\.\\d+\\.\\d+)-shop$',
    },
    answer: {
      id: 'b23466e3-a555-453e-bf8f-609d9bc85f70',
      created_at: '2026-11-22T17:01:17.965Z',
      pattern: '^(?<version>\\d+\\.\\d+\\.\\d+)-shop$',
    },
  },
  'helm_tag_formats.delete': {},
  'helm_tag_formats.get': {
    answer: {
      id: 'b23466e3-a555-453e-bf8f-609d9bc85f70',
      created_at: '2026-11-22T17:01:17.965Z',
      pattern: '^(?<version>\\d+\\.\\d+\\.\\d+)-shop$',
    },
  },
  'helm_tag_formats.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'b23466e3-a555-453e-bf8f-609d9bc85f70',
          created_at: '2026-11-22T17:01:17.965Z',
          pattern: '^(?<version>\\d+\\.\\d+\\.\\d+)-shop$',
        },
      ],
      num_total: 3,
    },
  },
  'k8s_clusters.get': {
    answer: {
      id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      provider_id: 'kubeconfig:local',
      created_at: '2026-11-22T17:01:00.958Z',
      last_seen_at: '2026-11-22T17:01:31.891Z',
      name: 'local',
      region_name: 'kubeconfig',
      is_ok: true,
      not_ok_reason: null,
      ignore: false,
      ingress_domain: 'apps.example.com',
      ingress_class: null,
      ingress_tls_secret_name: null,
      metrics_url: null,
      metrics_datasource_name: null,
    },
  },
  'k8s_clusters.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
          provider_id: 'kubeconfig:local',
          created_at: '2026-11-22T17:01:00.958Z',
          last_seen_at: '2026-11-22T17:01:31.891Z',
          name: 'local',
          region_name: 'kubeconfig',
          is_ok: true,
          not_ok_reason: null,
          ignore: false,
          ingress_domain: 'apps.example.com',
          ingress_class: null,
          ingress_tls_secret_name: null,
          metrics_url: null,
          metrics_datasource_name: null,
        },
      ],
      num_total: 1,
    },
  },
  'k8s_clusters.update': {
    body: {
      ingress_domain: 'apps.example.com',
    },
    answer: {
      id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      env_id: '9b2e2d89-4e5e-49be-8bdf-0102b4bee3a5',
      provider_id: 'kubeconfig:local',
      created_at: '2026-11-22T17:01:00.958Z',
      last_seen_at: '2026-11-22T17:01:16.891Z',
      name: 'local',
      region_name: 'kubeconfig',
      is_ok: true,
      not_ok_reason: null,
      ignore: false,
      ingress_domain: 'apps.example.com',
      ingress_class: null,
      ingress_tls_secret_name: null,
      metrics_url: null,
      metrics_datasource_name: null,
    },
  },
  'k8s_resources.get': {
    answer: {
      id: 'c9b1f18f-07ca-58ce-80af-64746d292e32',
      last_updated_at: '2026-11-22T17:01:37.892Z',
      cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
      deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
      kind: 'ReplicaSet',
      api_version: 'apps/v1',
      name: 'hello-web-shop-5578fdb7df',
      status_color: ['Success', 'Success'],
      metadata: {
        uid: 'b4f15980-76cc-4782-821b-8b81f0e33b34',
        name: 'hello-web-shop-5578fdb7df',
        labels: {
          'pod-template-hash': '5578fdb7df',
          'app.kubernetes.io/name': 'hello-web',
          'app.kubernetes.io/instance': 'hello-web-shop',
        },
        parent: {
          kind: 'Deployment',
          name: 'hello-web-shop',
          api_version: 'apps/v1',
          resource_id: 'adf2277f-9bff-5d04-b668-e9c12f78e4db',
        },
        namespace: 'hello-web-shop',
        generation: 3,
        annotations: {
          'meta.helm.sh/release-name': 'hello-web-shop',
          'meta.helm.sh/release-namespace': 'hello-web-shop',
          'deployment.kubernetes.io/revision': '1',
          'deployment.kubernetes.io/max-replicas': '3',
          'deployment.kubernetes.io/desired-replicas': '2',
        },
        ownerReferences: [
          {
            uid: 'd0ccce81-639f-4ca7-8227-e2dbd93655b8',
            kind: 'Deployment',
            name: 'hello-web-shop',
            apiVersion: 'apps/v1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        creationTimestamp: '2026-11-22T17:01:26Z',
      },
    },
  },
  'k8s_resources.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'c9b1f18f-07ca-58ce-80af-64746d292e32',
          last_updated_at: '2026-11-22T17:01:37.892Z',
          cluster_id: 'a3472b50-aaea-4bbf-af6a-b6f2444b62aa',
          deployment_id: '0d337ee4-711c-42c0-b6a8-28e4d1acda48',
          kind: 'ReplicaSet',
          api_version: 'apps/v1',
          name: 'hello-web-shop-5578fdb7df',
          status_color: ['Success', 'Success'],
          metadata: {
            uid: 'b4f15980-76cc-4782-821b-8b81f0e33b34',
            name: 'hello-web-shop-5578fdb7df',
            labels: {
              'pod-template-hash': '5578fdb7df',
              'app.kubernetes.io/name': 'hello-web',
              'app.kubernetes.io/instance': 'hello-web-shop',
            },
            parent: {
              kind: 'Deployment',
              name: 'hello-web-shop',
              api_version: 'apps/v1',
              resource_id: 'adf2277f-9bff-5d04-b668-e9c12f78e4db',
            },
            namespace: 'hello-web-shop',
            generation: 3,
            annotations: {
              'meta.helm.sh/release-name': 'hello-web-shop',
              'meta.helm.sh/release-namespace': 'hello-web-shop',
              'deployment.kubernetes.io/revision': '1',
              'deployment.kubernetes.io/max-replicas': '3',
              'deployment.kubernetes.io/desired-replicas': '2',
            },
            ownerReferences: [
              {
                uid: 'd0ccce81-639f-4ca7-8227-e2dbd93655b8',
                kind: 'Deployment',
                name: 'hello-web-shop',
                apiVersion: 'apps/v1',
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
            creationTimestamp: '2026-11-22T17:01:26Z',
          },
        },
      ],
      num_total: 6,
    },
  },
  'logins.start': {
    answer: {
      redirect_url:
        'http://host.example.com/auth?redirect_uri=http%3A%2F%2Fhost.example.com%2Fauth%2Fidp%2Fcallback&scope=openid+profile+email&state=TnhwczDVTMIp4PM09tCm_9b0_i6QvRqUuv4Qh5_QBE0&nonce=GoVESOlqy1VpFUepKY4lFRNGiA43MQxRDdPmFXyrsgw&code_challenge=kPwNcG2eXADlP-D7IBmv9Zvq2IpTMd1qfYZYdJMlqVQ&code_challenge_method=S256&client_id=berth&response_type=code',
      state: 'TnhwczDVTMIp4PM09tCm_9b0_i6QvRqUuv4Qh5_QBE0',
    },
  },
  'me.get': {
    answer: {
      User: {
        id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
        created_at: '2026-11-22T17:01:06.906Z',
        display_name: 'Ada Lovelace',
        email: 'ada@example.test',
        is_admin: true,
        is_active: true,
      },
    },
  },
  'me.get_as_user': {
    answer: {
      User: {
        id: 'c2f1455f-d5c1-4139-9a0f-fbe8f693362d',
        created_at: '2026-11-22T17:01:06.906Z',
        display_name: 'Ada Lovelace',
        email: 'ada@example.test',
        is_admin: true,
        is_active: true,
      },
    },
  },
  'secrets.create': {
    body: {
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      collection: 'shop',
      name: 'database',
      contents: 'postgres://shop:example@db/shop',
    },
    answer: {
      id: 'de4d3009-bc7f-46a3-bf46-6bca3cd5dd0e',
      created_at: '2026-11-22T17:01:17.684Z',
      updated_at: '2026-11-22T17:01:17.684Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      collection: 'shop',
      name: 'database',
    },
  },
  'secrets.delete': {},
  'secrets.get': {
    answer: {
      id: 'de4d3009-bc7f-46a3-bf46-6bca3cd5dd0e',
      created_at: '2026-11-22T17:01:17.684Z',
      updated_at: '2026-11-22T17:01:17.877Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      collection: 'shop',
      name: 'main-database',
    },
  },
  'secrets.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: 'de4d3009-bc7f-46a3-bf46-6bca3cd5dd0e',
          created_at: '2026-11-22T17:01:17.684Z',
          updated_at: '2026-11-22T17:01:17.877Z',
          env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
          collection: 'shop',
          name: 'main-database',
        },
      ],
      num_total: 1,
    },
  },
  'secrets.update': {
    body: {
      name: 'main-database',
    },
    answer: {
      id: 'de4d3009-bc7f-46a3-bf46-6bca3cd5dd0e',
      created_at: '2026-11-22T17:01:17.684Z',
      updated_at: '2026-11-22T17:01:17.877Z',
      env_id: 'f5611f92-b109-41d9-a897-1123b47f0718',
      collection: 'shop',
      name: 'main-database',
    },
  },
  'server.get': {
    answer: {
      version: '0.1.0',
    },
  },
  'signing_keys.list': {
    answer: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: 'Df6tc_Lthtj9WPb25EzOmMOllrRTbLjQQX_XdIYIc_w',
          kid: 'PZU_YFODyof27p3vwZN00MnEtXBgQ67sjrpv3fgMESc',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
  'user_tokens.create': {
    body: {
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      name: 'laptop',
      expires_at: '2030-01-01T00:00:00.000Z',
    },
    answer: {
      created_token: 'T0kJ4mExampleOnly0000A.not-a-token',
    },
  },
  'user_tokens.delete': {},
  'user_tokens.get': {
    answer: {
      id: '74cf08e8-9af9-4ad0-bc8d-20f2103ff54e',
      user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      created_at: '2026-11-22T17:01:17.567Z',
      name: 'laptop',
      expires_at: '2030-01-01T00:00:00.000Z',
      last_used_at: null,
    },
  },
  'user_tokens.list': {
    answer: {
      page: 1,
      per_page: 1,
      items: [
        {
          id: '74cf08e8-9af9-4ad0-bc8d-20f2103ff54e',
          user_id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
          created_at: '2026-11-22T17:01:17.567Z',
          name: 'laptop',
          expires_at: '2030-01-01T00:00:00.000Z',
          last_used_at: null,
        },
      ],
      num_total: 2,
    },
  },
  'users.get': {
    answer: {
      id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      created_at: '2026-11-22T17:01:16.664Z',
      display_name: 'Grace Hopper',
      email: 'grace@example.test',
      is_admin: false,
      is_active: true,
    },
  },
  'users.list': {
    answer: {
      page: 1,
      per_page: 50,
      items: [
        {
          id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
          created_at: '2026-11-22T17:01:16.664Z',
          display_name: 'Grace Hopper',
          email: 'grace@example.test',
          is_admin: false,
          is_active: false,
        },
      ],
      num_total: 1,
    },
  },
  'users.update': {
    body: {
      is_active: true,
    },
    answer: {
      id: '861ed315-758f-47a3-a6e9-aa129f1a2c55',
      created_at: '2026-11-22T17:01:16.664Z',
      display_name: 'Grace Hopper',
      email: 'grace@example.test',
      is_admin: false,
      is_active: true,
    },
  },
};
