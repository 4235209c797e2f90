/** The account and the region of a registry. */
export interface EcrHost {
  account: string;
  region: string;
}

const host = /^(\d{12})\.dkr\.ecr(?:-fips)?\.([a-z0-9-]{1,30})\.(?:amazonaws\.com(?:\.cn)?|[a-z0-9.-]+)$/;

/** Reads `<account>.dkr.ecr.<region>.amazonaws.com`; null if it is another host. */
export function ecrHostIn(hostname: string): EcrHost | null {
  const [, account, region] = host.exec(hostname) ?? [];
  return account === undefined || region === undefined ? null : { account, region };
}

/** How events name the registry, whatever host it is reached by. */
export const ecrName = ({ account, region }: EcrHost): string => `${account} in ${region}`;
