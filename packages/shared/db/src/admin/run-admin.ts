import { runService } from '@berth/service/run-service';
import type { AdminCommand } from './admin-command.ts';

interface Invocation {
  readonly environment: Record<string, string | undefined>;
  readonly args: readonly string[];
  readonly print: (text: string) => void;
}

/**
 * Runs one command of a service and exits with 0 if all is well, 1 if it is not, and 2 for an unknown command. It serves no
 * health port, so it can run beside a replica with the replica's environment.
 */
export async function runAdmin(
  service: string,
  commands: Record<string, AdminCommand>,
  { environment, args, print }: Invocation,
): Promise<void> {
  const [name = '', ...surplus] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || surplus.length > 0) {
    print(usage(service, commands));
    process.exitCode = 2;
    return;
  }
  const done = new AbortController();
  await runService(
    `${service} ${name}`,
    async ({ log, signal }) => {
      const isWell = await command.run({ environment, log, signal });
      if (!isWell) process.exitCode = 1;
      done.abort();
    },
    { environment: { LOG_LEVEL: environment['LOG_LEVEL'] }, stop: done.signal },
  );
}

function usage(service: string, commands: Record<string, AdminCommand>): string {
  const lines = Object.entries(commands).map(([name, { purpose }]) => `  ${name.padEnd(18)} ${purpose}`);
  return `berth-admin of ${service}: give one command\n\n${lines.join('\n')}\n`;
}
