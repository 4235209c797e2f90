import { DeploymentRole, EnvRole } from '@berth/contracts/access/identity';
import { Name, Text, verbatim } from '@berth/contracts/fields/fields';
import { JsonObject } from '@berth/contracts/fields/json';
import { BotChanges } from '@berth/contracts/resources/accounts/bots';
import { K8sClusterChanges } from '@berth/contracts/resources/clusters/k8s-clusters';
import { DeploymentChanges, NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { EnvChanges } from '@berth/contracts/resources/envs/envs';
import { z } from 'zod';

export const apiVersion = 'berth.dev/v1';

const document = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), ...shape });

const sources = 'must be one of {env: VARIABLE}, {file: PATH} and {value: TEXT}';

/** Where the contents of a secret come from when they are written. */
const Source = z
  .union(
    [
      z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable') }),
      z.strictObject({ file: Text.min(1) }),
      z.strictObject({ value: verbatim(256 * 1024) }),
    ],
    sources,
  )
  .meta({ description: 'An environment variable, a file beside this one, or, with --allow-inline, the text itself' });
export type Source = z.infer<typeof Source>;

const env = Name.meta({ description: 'Name of the env' });
const user = Name.meta({ description: 'E-mail address or id of a user, who has signed in once' });
const cluster = Name.optional().meta({
  description: 'Name or id of the cluster; not needed where the env has only one',
});
const chart = z
  .string()
  .regex(/^[^@\s]+@\S+$/, 'must be KIND@VERSION or KIND@sha256:DIGEST')
  .meta({ description: 'KIND@VERSION or KIND@sha256:DIGEST' });
const references =
  'A value {ref: Secret/COLLECTION/NAME}, {ref: Deployment/CLUSTER/KIND/NAME} or {ref: Resource/KIND/KEY/NAME} is the id of that row of the env';

const EnvDocument = document('Env', { name: Name, ...EnvChanges.omit({ name: true }).shape });
const BotDocument = document('Bot', { name: Name, ...BotChanges.omit({ display_name: true }).shape });
const ClusterDocument = document('Cluster', {
  name: Name.meta({ description: 'Name or id of a cluster that the platform has found' }),
  env: Name.nullable().optional(),
  ...K8sClusterChanges.omit({ env_id: true }).shape,
});
const MemberDocument = document('Member', { env, user, role: EnvRole });
const RoleDocument = document('Role', { env, user, deployment_kind: Name, role: DeploymentRole });
const SecretDocument = document('Secret', { env, collection: Name, name: Name, contents: Source });
const DeploymentDocument = document('Deployment', {
  env,
  cluster,
  name: NewDeployment.shape.name,
  chart,
  ...DeploymentChanges.pick({ values_override: true, enabled: true, description_md: true }).shape,
  config: DeploymentChanges.shape.config.meta({ description: references }),
});
const ResourceDocument = document('Resource', {
  env,
  cluster,
  deployment: NewDeployment.shape.name.meta({ description: 'Name of the deployment that manages it' }),
  type: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, 'must be KIND/KEY')
    .meta({ description: 'KIND/KEY of its type' }),
  name: Name,
  props: JsonObject.optional().meta({ description: references }),
  sensitive_props: z.record(Text, Source).optional(),
});

/** One row of a set, by names. A field that is absent stays as it is. */
export const SetDocument = z.discriminatedUnion(
  'kind',
  [
    EnvDocument,
    BotDocument,
    ClusterDocument,
    MemberDocument,
    RoleDocument,
    SecretDocument,
    DeploymentDocument,
    ResourceDocument,
  ],
  'must be Env, Bot, Cluster, Member, Role, Secret, Deployment or Resource',
);
export type SetDocument = z.infer<typeof SetDocument>;
export type DocumentKind = SetDocument['kind'];
export type DocumentOf<K extends DocumentKind> = Extract<SetDocument, { kind: K }>;

/** A kind comes before the kinds that need it. */
export const kindOrder: readonly DocumentKind[] = [
  'Env',
  'Bot',
  'Cluster',
  'Member',
  'Role',
  'Secret',
  'Deployment',
  'Resource',
];
