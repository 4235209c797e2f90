import { Bug } from '@berth/contracts/errors';
import { placeOf } from '../deployments/place-of.ts';
import { nothingInstalled, keepsRelease } from './keeps-release.ts';
import type { Operation } from './operation.ts';
import { nothingToRunAgain, taskOf, unlessEnabled } from './task-of.ts';

/** The fields of the request, for errors. */
export const restartPath = 'body.operation.RestartK8sResource';

/** Replaces the pods of a workload, one after the other. Never changes the deployment's state. */
export const restartK8sResource: Operation = {
  ...keepsRelease,
  needs: (operation) => ('RestartK8sResource' in operation ? { object: operation.RestartK8sResource } : {}),
  refusal: (deployment) => unlessEnabled(deployment) ?? nothingInstalled(deployment, false),

  task: ({ after, requested, object }) => {
    if (!requested || !('RestartK8sResource' in requested) || !object) {
      throw new Bug('A RestartK8sResource is made by a request, for an object that is tracked');
    }
    const { name: deployment_name } = after;
    const run = { action: 'restart' as const, ...placeOf(after), deployment_name, kind: '', object };
    return { ...taskOf(after), operation: requested, run };
  },

  runAtStart: ({ run }, deployment) => {
    if (run?.action !== 'restart') return { impossible: 'The task has nothing to run' };
    const { cluster_id, namespace } = placeOf(deployment);
    const isThere = run.cluster_id === cluster_id && run.namespace === namespace;
    return isThere ? { run } : { impossible: 'The deployment has moved since, so the object of this task is gone' };
  },

  isRepeatable: true,
  retry: ({ operation }) => ('RestartK8sResource' in operation ? { request: operation } : nothingToRunAgain),
};
