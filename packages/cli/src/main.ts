#!/usr/bin/env node
import module from 'node:module';

// Compiled code is kept between runs, where this Node can (22.8 and newer).
module.enableCompileCache?.();
await import('./node-20.ts');
const { runCli } = await import('./run-cli.ts');
await runCli(process);
