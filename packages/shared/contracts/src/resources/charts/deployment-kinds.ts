import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Name, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const DeploymentKind = z.strictObject({ id: Id, created_at: Timestamp, name: z.string() });
export type DeploymentKind = z.infer<typeof DeploymentKind>;

/** The only update with a required field. */
export const DeploymentKindChanges = z.strictObject({ name: Name });
export type DeploymentKindChanges = z.infer<typeof DeploymentKindChanges>;

export const deploymentKinds = resource('deployment_kinds', {
  owner: 'registry-scan',
  singular: 'deployment kind',
  etag: ['name'],
  state: { row: DeploymentKind, readers: everybody, consumers: ['auth', 'tasks'] },
  operations: {
    list: operation({
      http: 'GET /deployment-kinds',
      summary: 'List deployment kinds',
      allow: signedIn,
      query: listQuery({ filters: { name: filter.ignoringCase }, sort: ['created_at', 'name'] }),
      response: pageOf(DeploymentKind),
    }),
    get: operation({
      http: 'GET /deployment-kinds/:id',
      summary: 'Read a deployment kind',
      allow: signedIn,
      response: DeploymentKind,
    }),
    update: operation({
      http: 'PUT /deployment-kinds/:id',
      summary: 'Rename a deployment kind; nothing that runs changes',
      conflicts: 'another kind has the name',
      allow: siteAdmin,
      body: DeploymentKindChanges,
      response: DeploymentKind,
    }),
  },
});
