// Installs the tools of all tests, including those of a real node, in one build; exits with 1 if one is unavailable.
import { ensureTools, nodeToolNames, toolNames } from '@berth/devstack';

const log = (words: string) => void process.stderr.write(`test servers: ${words}\n`);
const signal = AbortSignal.timeout(60 * 60_000);
await ensureTools({ names: [...toolNames, ...nodeToolNames], env: process.env, log, signal });
