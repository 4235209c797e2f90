/** What other tools call it, and which command does it here. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['auth', 'login'],
  ['config', 'context'],
  ['destroy', 'delete'],
  ['edit', 'set'],
  ['history', 'tasks'],
  ['install', 'deploy'],
  ['lint', 'chart lint'],
  ['list', 'get'],
  ['logout', 'context delete'],
  ['ls', 'get'],
  ['ps', 'get deployments'],
  ['releases', 'tasks'],
  ['remove', 'delete'],
  ['rm', 'delete'],
  ['rollout', 'restart'],
  ['scale', 'deploy --set'],
  ['secrets', 'secret'],
  ['show', 'describe'],
  ['start', 'set deployment --enabled'],
  ['status', 'why'],
  ['stop', 'set deployment --no-enabled'],
  ['sync', 'apply'],
  ['template', 'chart preview'],
  ['uninstall', 'delete deployment'],
  ['undo', 'rollback'],
  ['version', '--version'],
  ['whoami', 'context current'],
]);

/** What the user reads instead of a command that there is not. */
export function noCommandText(input: string, corrections: readonly string[]): string {
  const command = elsewhere.get(input.toLowerCase());
  const meant = command === undefined ? corrections : [`\`berth ${command}\``];
  return `berth: there is no command ${input}${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`;
}
