import type { Browser } from 'playwright-core';
import type { Sample } from '@berth/devstack/journey/find-sample';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { KubeConfig } from '@kubernetes/client-node';
import type { Platform } from '../../setup/platform.ts';
import { type Visitor, visitor, type VisitorOptions } from './visitor.ts';

/** What all journeys share: one platform, one browser, and a deployment that runs. */
export interface Grounds {
  platform: Platform;
  browser: Browser;
  sample: Sample;
  deployment: Deployment;
  /** The session of a person, who signs in once for all journeys. */
  sessionOf(name: string): Promise<string>;
}

export const visit = (
  { platform, browser }: Grounds,
  options: Omit<VisitorOptions, 'url' | 'browser'> = {},
): Promise<Visitor> => visitor({ url: platform.stack.url, browser, ...options });

/** Opens a page in a window of somebody who is signed in. */
export async function visitAs(
  grounds: Grounds,
  name: string,
  path: string,
  options: Omit<VisitorOptions, 'url' | 'browser'> = {},
): Promise<Visitor> {
  const guest = await visit(grounds, { ...options, session: await grounds.sessionOf(name) });
  await guest.open(path);
  await guest.page.locator('main#main').waitFor();
  return guest;
}

/** The kubeconfig of the cluster on which the journeys deploy. */
export function kubeConfigOf({ stack }: Platform): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(stack.kubeconfigFile);
  config.setCurrentContext(stack.cluster);
  return config;
}
