import { randomBytes } from 'node:crypto';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfChanged, nullIfExists, nullIfMissing } from '@berth/kube/kube-error';
import {
  type Account,
  bindingsPath,
  bindingStep,
  FoundBinding,
  roleBinding,
  type WantedBinding,
} from '../bindings/role-binding.ts';
import { deployerBinding } from './deployer-account.ts';

const deadlineMs = 5_000;

interface BindDeployer {
  readonly account: Account;
  readonly namespace: string;
  /** The namespace was just created, so the RoleBinding is most likely missing. */
  readonly isNew: boolean;
}

/** Lets an account deploy in a namespace. Repairs a RoleBinding that workloads changed, without waiting for their finalizers. */
export async function bindDeployer(
  api: Pick<KubeApi, 'getJson' | 'postJson' | 'patchJson' | 'deleteJson'>,
  { account, namespace, isNew }: BindDeployer,
  signal: AbortSignal,
): Promise<void> {
  const call = { signal, deadlineMs };
  const folder = bindingsPath(namespace);
  const wanted = deployerBinding(account, { name: 'berth-deployer', namespace });
  const path = `${folder}/${wanted.name}`;

  if (isNew && (await create(wanted))) return;
  const step = bindingStep(FoundBinding.parse(await nullIfMissing(api.getJson(path, call))), wanted);
  if (step === 'keep') return;
  if (step !== 'create') {
    const uid = step.replaceUid;
    await nullIfChanged(nullIfMissing(api.deleteJson(path, { preconditions: { uid } }, call)));
    if (await create(wanted)) return;
    // A finalizer keeps the wrong one. Without its removal, each task would leave another binding behind.
    await nullIfChanged(nullIfMissing(api.patchJson(path, { metadata: { uid, finalizers: null } }, call)));
  }
  if (await create(wanted)) return;
  // Somebody keeps recreating it: use another name instead.
  await create({ ...wanted, name: `${wanted.name}-${randomBytes(5).toString('hex')}` });

  /** Returns false if a RoleBinding of that name exists. */
  async function create(binding: WantedBinding): Promise<boolean> {
    return (await nullIfExists(api.postJson(folder, roleBinding(binding), call))) !== null;
  }
}
