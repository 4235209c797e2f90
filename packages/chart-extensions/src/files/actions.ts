import { z } from 'zod';
import { DeploymentRole } from '@berth/contracts/access/identity';
import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { callTarget } from './call-target.ts';
import { header } from '../header.ts';
import { withNeutralIcon } from './neutral-icon.ts';
import { nullsAbsent } from '../nulls-absent.ts';
import { ValuesUi } from '../form/values-ui.ts';

/** The form of an action's body may have a header of its own. */
function withoutFormHeader(form: unknown): unknown {
  if (!isJsonObject(form) || !Header.safeParse({ apiVersion: form.apiVersion, kind: form.kind }).success) return form;
  const { apiVersion: _version, kind: _kind, ...rest } = form;
  return rest;
}

const Header = z.strictObject(header('ValuesUi', ['v1beta1']));

/** A call to the running deployment that users may request. */
export const Action = z.preprocess(
  withNeutralIcon,
  nullsAbsent({
    id: z.string().min(1).max(100),
    allowed_role: DeploymentRole,
    /** Reported statuses in which the action may be invoked; if empty, in all. */
    allowed_on_statuses: z.array(z.string()).max(100).default([]),
    ...callTarget,
    title: z.string(),
    description: z.string(),
    iconset_icon: z.string().max(100).optional(),
    dangerous: z.boolean().default(false),
    ui_schema: z.preprocess(withoutFormHeader, ValuesUi).optional(),
  }),
);
export type Action = z.infer<typeof Action>;

const repeated = (ids: readonly string[]): [number, string][] =>
  [...ids.entries()].filter(([index, id]) => ids.indexOf(id) < index);

const ActionList = z
  .array(Action)
  .max(100)
  .superRefine((actions, context) => {
    for (const [index, id] of repeated(actions.map((action) => action.id))) {
      context.addIssue({ code: 'custom', path: [index, 'id'], message: `repeats ${id}` });
    }
  });

/** The stored form of a chart's `actions_schema`. */
export const Actions = z.strictObject({ actions: ActionList });
export type Actions = z.infer<typeof Actions>;

/** The form of `actions.yaml`: a list of documents. */
export const ActionsFile = z
  .array(z.strictObject({ ...header('Action', ['v1beta1']), spec: Action }))
  .max(100)
  .superRefine((documents, context) => {
    for (const [index, id] of repeated(documents.map(({ spec }) => spec.id))) {
      context.addIssue({ code: 'custom', path: [index, 'spec', 'id'], message: `repeats ${id}` });
    }
  })
  .transform((documents): Actions => ({ actions: documents.map(({ spec }) => spec) }));

/** The older form, which has no headers. */
export const OlderActions = z
  .strictObject({ schema_version: z.number().int().min(0), actions: ActionList })
  .transform(({ actions }): Actions => ({ actions }));

/** The actions of a chart; empty if it has no such file. */
export const actionsOf = (stored: JsonObject | null): Action[] => (stored ? Actions.parse(stored).actions : []);
