import { creations } from './commands/changes/creations.ts';
import { kinds } from './names/kinds.ts';

/** What other tools call it, and which command does it here. */
const elsewhere: ReadonlyMap<string, readonly string[]> = new Map([
  ['account', ['whoami']],
  ['auth', ['login', 'whoami']],
  ['config', ['context']],
  ['contexts', ['context list']],
  ['destroy', ['delete']],
  ['edit', ['set', 'deploy --set']],
  ['history', ['tasks']],
  ['install', ['deploy']],
  ['lint', ['chart lint']],
  ['list', ['get']],
  ['logout', ['context delete']],
  ['ls', ['get']],
  ['plan', ['diff', 'deploy --plan']],
  ['pods', ['get objects --filter kind=Pod']],
  ['ps', ['get deployments']],
  ['releases', ['tasks']],
  ['remove', ['delete']],
  ['rm', ['delete']],
  ['rollout', ['restart', 'rollback', 'tasks']],
  ['scale', ['deploy --set']],
  ['secrets', ['get secrets', 'secret set']],
  ['show', ['describe']],
  ['start', ['set deployment --enabled']],
  ['status', ['why']],
  ['stop', ['set deployment --no-enabled']],
  ['switch', ['context use']],
  ['sync', ['apply']],
  ['template', ['chart preview']],
  ['uninstall', ['delete deployment']],
  ['undo', ['rollback']],
  ['values', ['describe deployment']],
  ['version', ['--version']],
]);

/** For people who begin with the kind, as in `berth env create`. */
function commandsOfKind(word: string): readonly string[] | undefined {
  const kind = kinds.find(({ names }) => names.includes(word));
  if (!kind) return undefined;
  const creatable = ['deployments', ...Object.values(creations).map(({ resource }) => resource)];
  const [many, one = many] = kind.names;
  return [`get ${many}`, ...(creatable.includes(kind.resource) ? [`create ${one}`] : [])];
}

/** What the user reads instead of a command that there is not. */
export function noCommandText(input: string, corrections: readonly string[]): string {
  const word = input.toLowerCase();
  const meant = (elsewhere.get(word) ?? commandsOfKind(word))?.map((command) => `\`berth ${command}\``) ?? corrections;
  return `berth: there is no command ${input}${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`;
}
