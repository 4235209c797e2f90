import { after } from '../../src/engine/deployments/lifecycle.ts';
import { type Model, noteArrow, type Living } from './model.ts';

export const namespaceLost = 'The namespace is gone';

export const loseNamespace = (model: Living): Model | null => {
  const { deployment } = model;
  if (deployment.state !== 'Running' || deployment.deleting) return null;
  return { ...model, deployment: noteArrow(deployment, after(deployment, 'namespace lost', namespaceLost)) };
};
