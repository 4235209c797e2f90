export interface Entry {
  readonly service: string;
  /** All entries of the service; each `<command>-main.ts` is a command of the image. */
  readonly entries: readonly string[];
}

/**
 * The program that an image starts: the service, or the entry named by its first argument. Other arguments go to `admin-main.ts`,
 * which has commands of its own. The sources have no types here (`stripTypes`).
 */
export function entryOf({ service, entries }: Entry): string {
  const named = entries.flatMap((entry) => {
    const command = /\/([a-z-]+)-main\.ts$/.exec(entry)?.[1];
    return command && command !== 'admin' ? [[command, `./services/${service}/${entry}`]] : [];
  });
  const admin = entries.find((entry) => entry.endsWith('/admin-main.ts'));
  return `// Made by the build: starts the service, or the command that the first argument names.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// The build has removed the types. Without this, Node would load its type stripper, which takes 25 MB.
registerHooks({
  load: (url, context, next) =>
    /^file:.*[.]ts$/.test(url)
      ? { format: 'module', shortCircuit: true, source: readFileSync(new URL(url)) }
      : next(url, context),
});
const commands = new Map(${JSON.stringify(named)});
const admin = ${JSON.stringify(admin ? `./services/${service}/${admin}` : null)};
const [, , command] = process.argv;
if (command === undefined) await import('./services/${service}/src/main.ts');
else if (commands.has(command)) {
  process.argv.splice(2, 1);
  await import(commands.get(command));
} else if (admin !== null) await import(admin);
else {
  process.stderr.write(\`This image has no command "\${command}".\${commands.size > 0 ? \` It has: \${[...commands.keys()].join(', ')}.\` : ''}\\n\`);
  process.exitCode = 64;
}
`;
}
