import { randomBytes } from 'node:crypto';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfChanged, nullIfExists, nullIfMissing } from '@berth/kube/kube-error';
import { z } from 'zod';
import { type Account, bindingObject, deployerRoleName, paths } from './deployer-account.ts';

const Binding = z.object({
  metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().nullish() }),
  roleRef: z.object({ apiGroup: z.string(), kind: z.string(), name: z.string() }),
  subjects: z
    .array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().default('') }))
    .nullish()
    .transform((subjects) => subjects ?? []),
});
type Binding = z.infer<typeof Binding>;

/** Decides how to repair the RoleBinding of an account: workloads of the namespace may delete it, replace it or add to it. */
function bindingStep(found: Binding | null, wanted: ReturnType<typeof bindingObject>): 'create' | 'keep' | 'replace' {
  if (found === null) return 'create';
  const [subject, ...others] = found.subjects;
  const isRight =
    found.roleRef.kind === wanted.roleRef.kind &&
    found.roleRef.name === wanted.roleRef.name &&
    others.length === 0 &&
    subject?.kind === 'ServiceAccount' &&
    subject.name === wanted.subjects[0]?.name &&
    subject.namespace === wanted.subjects[0]?.namespace;
  return isRight && !found.metadata.deletionTimestamp ? 'keep' : 'replace';
}

const deadlineMs = 5_000;

interface BindDeployer {
  readonly account: Account;
  readonly namespace: string;
  /** The namespace was just created, so the RoleBinding is most likely missing. */
  readonly isNew: boolean;
}

/** Lets an account deploy in a namespace. Repairs a RoleBinding that workloads changed, without waiting for their finalizers. */
export async function bindDeployer(
  api: Pick<KubeApi, 'getJson' | 'postJson' | 'deleteJson'>,
  { account, namespace, isNew }: BindDeployer,
  signal: AbortSignal,
): Promise<void> {
  const role = deployerRoleName(account.namespace);
  const call = { signal, deadlineMs };
  const folder = paths.bindings(namespace);
  const named = (name: string) => bindingObject({ name, namespace, role, account });
  const wanted = named('berth-deployer');
  const path = `${folder}/${wanted.metadata.name}`;

  if (isNew && (await create(wanted))) return;
  const found = Binding.nullable().parse(await nullIfMissing(api.getJson(path, call)));
  const step = bindingStep(found, wanted);
  if (step === 'keep') return;
  if (step === 'replace' && found) {
    await nullIfChanged(nullIfMissing(api.deleteJson(path, { preconditions: { uid: found.metadata.uid } }, call)));
  }
  if (await create(wanted)) return;
  // A finalizer keeps the wrong one, or somebody keeps recreating it: use another name instead.
  await create(named(`berth-deployer-${randomBytes(5).toString('hex')}`));

  /** Returns false if a RoleBinding of that name exists. */
  async function create(binding: ReturnType<typeof bindingObject>): Promise<boolean> {
    return (await nullIfExists(api.postJson(folder, binding, call))) !== null;
  }
}
