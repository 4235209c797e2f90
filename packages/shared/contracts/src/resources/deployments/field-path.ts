import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../fields/json.ts';

/** The fields of a release's objects that a path stands for. */
export interface FieldPath {
  /** Null: any kind. */
  kind: string | null;
  /** Null: any name. */
  name: string | null;
  segments: string[];
}

const form = /^(?:([A-Za-z][A-Za-z0-9]{0,62})(?:\/([^/\s]{1,253}))?:)?((?:\/[^/\s]{1,253}){1,32})$/;

/** A path as plans write it, such as `/spec/template/spec/containers/name=web/image`; null if it has another form. */
export function fieldPathOf(text: string): FieldPath | null {
  const [, kind = null, name = null, pointer] = form.exec(text) ?? [];
  if (pointer === undefined) return null;
  const segments = pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { kind, name, segments };
}

export const pathWords =
  'must be a path such as /spec/replicas or Deployment/web:/spec/template/spec/containers/name=web/image; * stands for any one segment';

export const mostKeptFields = 100;

/** Paths of fields that keep the value that another manager gave them. */
export const KeptFields = z
  .array(
    z
      .string()
      .max(1_000)
      .refine((text) => fieldPathOf(text) !== null, pathWords),
  )
  .max(mostKeptFields);

/** The paths in the value `berth.fields.keep`; null if that is not a list of paths. */
export function keptFieldsIn({ berth }: JsonObject): string[] | null {
  const fields = isJsonObject(berth) ? berth['fields'] : undefined;
  const keep = isJsonObject(fields) ? fields['keep'] : undefined;
  return keep === undefined ? [] : (KeptFields.safeParse(keep).data ?? null);
}
