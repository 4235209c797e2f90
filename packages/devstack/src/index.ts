export { type KubernetesTool, kubernetesTools } from './servers/kubernetes/component-arguments.ts';
export { type KubernetesServer, type KubernetesStart, startKubernetes } from './servers/kubernetes/kubernetes.ts';
export { type NatsServer, type NatsStart, startNats } from './servers/nats.ts';
export { people } from './servers/oidc/people.ts';
export { type OidcServer, type OidcStart, startOidc } from './servers/oidc.ts';
export { signInWithHttp } from './servers/oidc-sign-in.ts';
export { type PostgresServer, type PostgresStart, startPostgres } from './servers/postgres.ts';
export {
  createServiceDatabase,
  type ServiceSchema,
} from './servers/postgres-databases.ts';
export { type RegistryServer, type RegistryStart, startRegistry } from './servers/registry.ts';
export { rememberedPorts, rememberedSecrets } from './servers/remembered.ts';
export { type RunningServer, type ServerStart, startServerProcess } from './servers/server-process.ts';
export type { Part } from './stack/part.ts';
export type { ServiceStart } from './stack/service-process.ts';
export { type ServerName, type Stack, type StackStart, startStack } from './stack/start-stack.ts';
export { ensureTools } from './tools/ensure-tools.ts';
export { type Environment, toolCacheFolder } from './tools/tool-cache.ts';
export { nodeToolNames, type ToolName, toolNames, toolTable } from './tools/tool-table.ts';
