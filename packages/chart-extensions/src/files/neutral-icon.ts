import { isJsonObject } from '@berth/contracts/fields/json';

/** Charts for the upstream project prefix icons with the name of its icon set. */
export function withNeutralIcon(spec: unknown): unknown {
  if (!isJsonObject(spec) || !('fontawesome_icon' in spec) || 'iconset_icon' in spec) return spec;
  const { fontawesome_icon, ...rest } = spec;
  return { ...rest, iconset_icon: fontawesome_icon };
}
