import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Id } from '../../fields/fields.ts';

export const chartArchives = resource('chart_archives', {
  owner: 'registry-scan',
  singular: 'chart archive',
  operations: {
    ensure: operation({
      summary: 'Make sure that the packaged chart is in the object store, fetching it again if it is missing',
      allow: ourServices,
      callers: ['tasks'],
      body: z.strictObject({ helm_chart_id: Id }),
      // The key in the object store: `sha256:<hex>` of the archive.
      response: z.strictObject({ digest: z.string() }),
      idempotent: true,
    }),
    read: operation({
      summary: 'A part of the packaged chart of a claimed task',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject({ ...Claim, part: z.number().int().nonnegative() }),
      // `data` is base64.
      response: z.strictObject({ digest: z.string(), parts: z.number().int(), data: z.string() }),
      idempotent: true,
    }),
  },
});
