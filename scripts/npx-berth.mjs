#!/usr/bin/env node
// `npx berth` in a checkout: the command line from its sources, in the folder of the caller.
import { runCommand } from './berth.mjs';

process.exitCode = await runCommand(['cli', ...process.argv.slice(2)]);
