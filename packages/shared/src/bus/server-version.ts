/** Before it, streams could vanish when the server was killed (nats-server#6888). */
export const leastServerVersion = '2.10.23';

const numbersOf = (version: string): number[] => (version.split('-')[0] ?? '').split('.').map(Number);

/** Why this server is too old for us, or null. */
export function refusalOfServer(version: string): string | null {
  const found = numbersOf(version);
  const least = numbersOf(leastServerVersion);
  for (const [index, wanted] of least.entries()) {
    const part = found[index] ?? 0;
    if (part > wanted) return null;
    if (!(part >= wanted)) return `NATS server ${version} is too old: ${leastServerVersion} or later is required`;
  }
  return null;
}
