import { z } from 'zod';
import { ourServices } from '../access/rules.ts';
import { operation, resource } from './contract.ts';
import { Id } from './fields.ts';

export const chartArchives = resource('chart_archives', {
  owner: 'registry-scan',
  singular: 'chart archive',
  operations: {
    ensure: operation({
      summary: 'Make sure that the packaged chart is in the object store, fetching it again where it is not',
      allow: ourServices,
      callers: ['runner', 'tasks'],
      body: z.strictObject({ helm_chart_id: Id }),
      // The key in the object store: `sha256:<hex>` of the archive.
      response: z.strictObject({ digest: z.string() }),
      idempotent: true,
    }),
  },
});
