import type { Transaction } from '@berth/db/database';
import { createChartChanges } from './charts/chart-repository.ts';
import { createKindChanges } from './kinds/kind-repository.ts';
import { createCreatedRegistryRepository } from './registries/created-registry-repository.ts';
import { createRegistryChanges } from './registries/registry-repository.ts';
import { createTagRepository } from './scan/tag-repository.ts';
import { createTagFormatChanges } from './tag-formats/tag-format-repository.ts';

/** What a transaction reads and writes. */
export const storeOf = (tx: Transaction) => ({
  charts: createChartChanges(tx),
  kinds: createKindChanges(tx),
  registries: createRegistryChanges(tx),
  createdRegistries: createCreatedRegistryRepository(tx),
  tagFormats: createTagFormatChanges(tx),
  tags: createTagRepository(tx),
});
