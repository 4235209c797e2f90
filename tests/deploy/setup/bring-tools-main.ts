// Brings the tools of all tests, those of a real node too, in one build; ends with 1 where one is not available.
import { ensureTools, nodeToolNames, toolNames } from '@berth/devstack';

const log = (words: string) => void process.stderr.write(`test servers: ${words}\n`);
const signal = AbortSignal.timeout(60 * 60_000);
await ensureTools({ names: [...toolNames, ...nodeToolNames], env: process.env, log, signal });
