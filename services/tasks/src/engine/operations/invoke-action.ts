import { Bug } from '@berth/contracts/errors';
import type { JsonValue } from '@berth/contracts/fields/json';
import { placeOf } from '../deployments/place-of.ts';
import { nothingInstalled, keepsRelease } from './keeps-release.ts';
import type { InvokedAction, Operation } from './operation.ts';
import { nothingToRunAgain, taskOf, unlessEnabled } from './task-of.ts';

/** The fields of the request, for errors. */
export const actionPath = 'body.operation.InvokeAction';

/** Calls the running deployment as its chart's `actions.yaml` says. Never changes the deployment's state. */
export const invokeAction: Operation = {
  ...keepsRelease,
  needs: (operation) => ('InvokeAction' in operation ? { action: operation.InvokeAction } : {}),
  refusal: (deployment, hasOpenTasks) => unlessEnabled(deployment) ?? nothingInstalled(deployment, hasOpenTasks),

  task: ({ after, requested }) => {
    if (!requested || !('InvokeAction' in requested)) throw new Bug('An InvokeAction is made by a request for it');
    return { ...taskOf(after), operation: requested };
  },

  runAtStart: ({ operation, run }, deployment) => {
    if (run) return { run };
    if (!('InvokeAction' in operation)) return { impossible: 'The task has nothing to run' };
    const { helm_chart_id, action_id, body } = operation.InvokeAction;
    const { name: deployment_name } = deployment;
    return {
      run: { action: 'invoke', ...placeOf(deployment), deployment_name, kind: '', helm_chart_id, action_id, body },
    };
  },

  // Whether the first call took effect is unknown.
  isRepeatable: false,
  retry: ({ operation, hidden_inputs: hidden }) => {
    if (hidden && hidden.length > 0) {
      return { refused: `Its sensitive inputs are not kept: invoke the action again with ${hidden.join(', ')}` };
    }
    return 'InvokeAction' in operation ? { request: operation } : nothingToRunAgain;
  },
};

/** A retry is the same call with another body. */
export const withBody = (invoked: InvokedAction, body: JsonValue): { InvokeAction: InvokedAction } => ({
  InvokeAction: { ...invoked, body },
});
