import { type AuditEntry, recordAudit } from '@berth/db/audit/audit-log';
import type { Database, Queries, Transaction } from '@berth/db/database';
import { type InTransaction as InStore, inTransactionOf as inStoreOf } from '@berth/db/in-transaction';
import { isPast } from '@berth/db/postgres/is-past';
import { createImpactRepository } from './deployments/impact-repository.ts';
import { createItemRepository } from './deployments/item-repository.ts';
import { createDeploymentChanges } from './deployments/deployment-changes-repository.ts';
import { createHealthChanges, createHealthRepository } from './health/health-repository.ts';
import { createDeploymentRepository } from './deployments/deployment-repository.ts';
import { createInstalledChanges, createInstalledRepository } from './deployments/installed-repository.ts';
import { createReferenceRepository } from './deployments/reference-repository.ts';
import { createResourceCalls } from './resources/resource-call-repository.ts';
import { createResourceChanges } from './resources/resource-changes-repository.ts';
import { createResourceRepository } from './resources/resource-repository.ts';
import { createTypeChanges } from './resources/type-changes-repository.ts';
import { createTypeRepository } from './resources/type-repository.ts';
import { createCountRepository } from './counts/count-repository.ts';
import { createProjectionRepository } from './projection-repository.ts';
import { createClaimRepository } from './starting/claim-repository.ts';
import { createLeaseRepository } from './starting/lease-repository.ts';
import { createLogChanges, createLogRepository } from './tasks/log-repository.ts';
import { createQueueChanges } from './tasks/queue-changes-repository.ts';
import { createReinstalls } from './tasks/reinstalls-repository.ts';
import { createTaskInputsChanges, createTaskInputsRepository } from './tasks/task-inputs-repository.ts';
import { createTaskChanges } from './tasks/task-changes-repository.ts';
import { createSecretChanges } from './secrets/secret-changes-repository.ts';
import { createSecretRepository } from './secrets/secret-repository.ts';
import { createStatusPollRepository } from './queue/status-poll-repository.ts';
import { createDryRunRepository } from './queue/dry-run-repository.ts';
import { createRetentionChanges, createRetentionRepository } from './tasks/retention-repository.ts';
import { createTaskRepository } from './tasks/task-repository.ts';
import { createWaitFactsRepository } from './starting/wait-facts-repository.ts';

/** All reads, in or outside a transaction. */
export const readingStore = (db: Queries) => ({
  deployments: createDeploymentRepository(db),
  health: createHealthRepository(db),
  references: createReferenceRepository(db),
  installed: createInstalledRepository(db),
  tasks: createTaskRepository(db),
  taskInputs: createTaskInputsRepository(db),
  counts: createCountRepository(db),
  logs: createLogRepository(db),
  leases: createLeaseRepository(db),
  projected: createProjectionRepository(db),
  impact: createImpactRepository(db),
  items: createItemRepository(db),
  waitFacts: createWaitFactsRepository(db),
  secrets: createSecretRepository(db),
  dryRuns: createDryRunRepository(db),
  statusPolls: createStatusPollRepository(db),
  resources: createResourceRepository(db),
  resourceTypes: createTypeRepository(db),
  retention: createRetentionRepository(db),
  isPast: (time: string) => isPast(db, time),
});
export type ReadingStore = ReturnType<typeof readingStore>;

const writersIn = (tx: Transaction) => ({
  deploymentChanges: createDeploymentChanges(tx),
  healthChanges: createHealthChanges(tx),
  installedChanges: createInstalledChanges(tx),
  taskChanges: createTaskChanges(tx),
  taskInputsChanges: createTaskInputsChanges(tx),
  queueChanges: createQueueChanges(tx),
  reinstalls: createReinstalls(tx),
  secretChanges: createSecretChanges(tx),
  resourceChanges: createResourceChanges(tx),
  resourceTypeChanges: createTypeChanges(tx),
  resourceCalls: createResourceCalls(tx),
  logChanges: createLogChanges(tx),
  claims: createClaimRepository(tx),
  retentionChanges: createRetentionChanges(tx),
  /** Writes an event of the audit log, in the transaction of the change. */
  recordAudit: (entry: AuditEntry) => recordAudit(tx, entry),
  /** Calls the function once the whole transaction has committed; a function that was added twice is called once. */
  afterCommit: tx.afterCommit,
});

/** All reads and writes of a transaction. */
export interface WritingStore extends ReadingStore, ReturnType<typeof writersIn> {
  /** A savepoint: work that throws is rolled back, and the transaction continues. */
  savepoint: <T>(work: (store: WritingStore) => Promise<T>) => Promise<T>;
}

export const writingStore = (tx: Transaction): WritingStore => ({
  ...readingStore(tx),
  ...writersIn(tx),
  savepoint: (work) => tx.transaction((inner) => work(writingStore(inner))),
});

export type InTransaction = InStore<WritingStore>;

export const inTransactionOf = (db: Pick<Database, 'transaction'>): InTransaction => inStoreOf(db, writingStore);
