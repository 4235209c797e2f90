import { createInterface } from 'node:readline';
import { CliFailure } from '../failure/cli-failure.ts';
import { harmlessLines } from '../text/harmless.ts';

type Terminal = Pick<NodeJS.Process, 'stdin' | 'stderr'>;

/** Asks only if both input and messages are terminals: piped text is not a person's answer. */
export const askOn =
  ({ stdin, stderr }: Terminal) =>
  async (question: string): Promise<string | null> => {
    if (!stdin.isTTY || !stderr.isTTY) return null;
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await new Promise((resolve, reject) => {
        lines.on('SIGINT', () => reject(new CliFailure('cancelled', 'nothing was done')));
        lines.on('close', () => resolve(''));
        lines.question(harmlessLines(question), resolve);
      });
    } finally {
      lines.close();
    }
  };
