import type { RegistryProvider } from '@berth/contracts/resources/charts/helm-registries';
import { z } from 'zod';
import { EcrSettings } from './ecr/ecr-provider.ts';
import { HelmRepositorySettings } from './helm-repository/helm-repository-provider.ts';
import { OciSettings } from './oci/oci-provider.ts';

/** For each provider, the settings that describe a registry. */
const providers = [OciSettings, HelmRepositorySettings, EcrSettings] as const;

/** Whether registries of a provider prove their push events with a token. */
export const hasPushToken: Record<RegistryProvider, boolean> = { Oci: true, HelmRepo: false, Ecr: false };

const withType = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && !('type' in given) ? { type: 'oci', ...given } : given;

/** The settings of a registry: `type` names the provider, `oci` unless given. */
export const RegistrySettings = z.preprocess(withType, z.discriminatedUnion('type', providers));
