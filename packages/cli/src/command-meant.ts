import { application } from './application.ts';

/** The command or group that the first words name, whose `--help` is worth reading. */
export function commandMeant(words: readonly string[]): string {
  const meant = ['berth'];
  let at: (typeof application)['root'] | undefined = application.root;
  for (const word of words) {
    at = at !== undefined && 'getRoutingTargetForInput' in at ? at.getRoutingTargetForInput(word) : undefined;
    if (at === undefined) break;
    meant.push(word);
  }
  return meant.join(' ');
}
