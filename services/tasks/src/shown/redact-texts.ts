import { AppError, isOutage } from '@berth/contracts/errors';
import type { TextsOfDeployment } from '@berth/contracts/resources/deployments/shown-texts';
import { nextTurn } from '@berth/service/waiting/next-turn';
import type { ReadingStore } from '../store/store.ts';
import type { KnownIndexes } from './known-indexes.ts';
import { redacted } from './redact-secrets.ts';
import { secretsOfDeployment, type SecretsOfDeploymentDeps } from './secrets-of-deployment.ts';

export interface RedactTextsDeps extends SecretsOfDeploymentDeps {
  store: SecretsOfDeploymentDeps['store'] & Pick<ReadingStore, 'deployments'>;
  knownIndexes: KnownIndexes;
}

/** Shorter secrets may be ordinary words, which occur in unrelated names. */
const leastInNames = 12;

export type RedactTexts = (texts: TextsOfDeployment) => Promise<TextsOfDeployment>;

/** Redacts the deployment's secrets in texts of its objects. If the deployment is gone, no message is shown. */
export const createRedactTexts =
  (deps: RedactTextsDeps): RedactTexts =>
  async ({ deployment_id, names, messages }) => {
    const hidden = messages.map(() => redacted);
    const deployment = await deps.store.deployments.record(deployment_id);
    if (!deployment) return { deployment_id, names: [...names], messages: hidden };
    const secrets = await secretsOfDeployment(deps, deployment).catch((error: unknown) => {
      if (error instanceof AppError && !isOutage(error)) return null;
      throw error;
    });
    if (secrets === null) return { deployment_id, names: names.map(() => redacted), messages: hidden };
    if (secrets.length === 0) return { deployment_id, names, messages };
    const redact = deps.knownIndexes(secrets);
    return {
      deployment_id,
      names: await eachInItsTurn(names, (name) => redact(name, leastInNames)),
      messages: await eachInItsTurn(messages, (message) => redact(message)),
    };
  };

async function eachInItsTurn(texts: readonly string[], redact: (text: string) => string): Promise<string[]> {
  const shown: string[] = [];
  for (const [index, text] of texts.entries()) {
    if (index % 10 === 9) await nextTurn();
    shown.push(redact(text));
  }
  return shown;
}
