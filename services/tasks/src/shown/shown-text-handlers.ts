import { implement } from '@berth/bus/rpc/implement';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import type { RedactTexts } from './redact-texts.ts';

export const shownTextHandlers = ({ redactTexts }: { redactTexts: RedactTexts }) =>
  implement(shownTexts, {
    redact: async ({ body }) => {
      const deployments = [];
      for (const texts of body.deployments) deployments.push(await redactTexts(texts));
      return { deployments };
    },
  });
