/** Earlier servers could lose streams when they were killed (nats-server#6888). */
const leastServerVersion = '2.10.23';

const numbersOf = (version: string): number[] => (version.split('-')[0] ?? '').split('.').map(Number);

function isAtLeast(version: string, least: string): boolean {
  const found = numbersOf(version);
  for (const [index, wanted] of numbersOf(least).entries()) {
    const part = found[index] ?? 0;
    if (part > wanted) return true;
    if (!(part >= wanted)) return false;
  }
  return true;
}

/** Why this server is too old; null if it is not. */
export const refusalOfServer = (version: string): string | null =>
  isAtLeast(version, leastServerVersion)
    ? null
    : `NATS server ${version} is too old: ${leastServerVersion} or later is required`;

/** Whether single messages can have a lifetime. */
export const knowsMessageLifetimes = (version: string): boolean => isAtLeast(version, '2.11.0');
