export { ensureTools } from './tools/ensure-tools.ts';
export { type Environment, toolCacheFolder } from './tools/tool-cache.ts';
export { type ToolName, toolTable } from './tools/tool-table.ts';
