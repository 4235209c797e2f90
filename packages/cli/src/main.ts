#!/usr/bin/env node
import module from 'node:module';

// Compiled code is kept between runs, where this Node can (22.8 and newer).
module.enableCompileCache?.();
const { runCli } = await import('./run-cli.ts');
await runCli(process);
