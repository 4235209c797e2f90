import { type Operation, type Resource } from '../definition/contract.ts';
import { httpRouteOf } from '../definition/http-route.ts';
import type { JsonObject } from '../fields/json.ts';
import { documentedMethods } from './documented-operation.ts';
import { ProblemSchema, problemResponses } from './problems.ts';
import { schemaNames } from './schema-names.ts';
import { schemaWriter } from './schema-writer.ts';

export interface OpenApiOptions {
  version: string;
  /** Base address of the server, without the API prefix. */
  url?: string;
}

const description = `Deploys packaged Helm charts onto many Kubernetes clusters.

Every update is partial: an absent field is unchanged, \`null\` clears a field that is nullable. \`PATCH\` is an alias of \`PUT\`, and every \`GET\` answers \`HEAD\`.
Unknown fields and query parameters are refused. Errors are \`application/problem+json\` (RFC 9457).`;

/** The OpenAPI 3.1 document of all operations that have a route. */
export function openApiDocument(resources: readonly Resource[], { version, url }: OpenApiOptions): JsonObject {
  const writer = schemaWriter(schemaNames(resources));
  const paths: Record<string, JsonObject> = {};

  for (const resource of resources) {
    for (const operation of Object.values<Operation>(resource.operations)) {
      const route = httpRouteOf(operation);
      if (!route) continue;
      const path = (paths[route.path.replace(/:(\w+)/g, '{$1}')] ??= {});
      Object.assign(path, documentedMethods(operation, { writer, resource }));
    }
  }

  return {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: url ?? '/' }],
    tags: resources
      .filter(hasRoute)
      .map(({ name, singular }) => ({ name, description: `Operations on a ${singular}` })),
    security: [{ serviceToken: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: { ...writer.components(), Problem: ProblemSchema },
      responses: problemResponses(),
      securitySchemes: {
        serviceToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-service-token',
          description: 'A user token or bot token: `<token-id>.<secret>`. It decides where both are sent.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The session of a user (7 days) or the token of a deployment (1 hour).',
        },
      },
    },
  };
}

const hasRoute = ({ operations }: Resource): boolean => Object.values<Operation>(operations).some(({ http }) => http);
