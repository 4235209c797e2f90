import { differences } from '../../src/engine/deployments/differences.ts';
import type { Model } from './model.ts';
import { reinstall, retry } from './requests.ts';
import { namespaceLost } from './lose-namespace.ts';
import { run } from './claims.ts';

/** The deployment after all of its tasks have succeeded. */
function drained(model: Model): Model {
  let left = model;
  for (let n = 0; n < 50 && left.deployment && left.queue.length > 0; n += 1) {
    left = run({ ...left, deployment: left.deployment }, 'Done') ?? left;
  }
  return left;
}

const isAsWanted = ({ deployment, running }: Model): boolean => {
  if (!deployment) return true;
  if (!deployment.enabled) return deployment.installed_namespace === null;
  return deployment.state === 'Running' && running !== null && differences(running, deployment).length === 0;
};

/** Whether successful retries lead to the wanted state. */
export function isReachedByRetries(model: Model, retries = 3): boolean {
  const then = drained(model);
  const { deployment } = then;
  if (isAsWanted(then) || !deployment) return true;
  // Without a failed task to retry, a Reinstall recreates the namespace.
  const again = deployment.reason === namespaceLost ? reinstall({ ...then, deployment }) : null;
  if (again && isReachedByRetries(again, retries)) return true;
  if (retries === 0) return false;
  return then.over.toReversed().some((task) => {
    const retried = retry({ ...then, deployment }, task);
    return retried !== null && isReachedByRetries(retried, retries - 1);
  });
}
