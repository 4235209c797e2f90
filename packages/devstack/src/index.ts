export { type NatsServer, type NatsStart, type NatsUser, startNats } from './servers/nats.ts';
export { type PostgresServer, type PostgresStart, startPostgres } from './servers/postgres.ts';
export {
  createDatabaseFromTemplate,
  createServiceDatabase,
  dropDatabase,
  type ServiceSchema,
} from './servers/postgres-databases.ts';
export { type RegistryServer, type RegistryStart, startRegistry } from './servers/registry.ts';
export { rememberedPorts, rememberedSecrets } from './servers/remembered.ts';
export type { RunningServer, ServerStart } from './servers/server-process.ts';
export { ensureTools } from './tools/ensure-tools.ts';
export { type Environment, toolCacheFolder } from './tools/tool-cache.ts';
export { type ToolName, toolTable } from './tools/tool-table.ts';
