import { implement } from '@berth/bus/rpc/implement';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import { redactTexts, type RedactTextsDeps } from './redact-texts.ts';

export const shownTextHandlers = (deps: RedactTextsDeps) =>
  implement(shownTexts, {
    redact: async ({ body }) => {
      const deployments = [];
      for (const texts of body.deployments) deployments.push(await redactTexts(deps, texts));
      return { deployments };
    },
  });
