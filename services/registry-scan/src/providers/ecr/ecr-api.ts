import type { ECRClient } from '@aws-sdk/client-ecr';
import { singleFlight } from '@berth/service/waiting/single-flight';
import type { Credentials } from '../../connection/read-credentials.ts';
import type { ListedTag } from '../../connection/registry-client.ts';
import { RegistryError } from '../../connection/registry-error.ts';
import type { OnRequest } from '../../connection/registry-session.ts';
import { awsRequestHandler, awsRequests, withinTime } from './aws-requests.ts';
import type { EcrHost } from './ecr-host.ts';

/** The calls to the API of ECR. Manifests and packages come by the distribution protocol. */
export interface EcrApi extends Disposable {
  repositories(signal: AbortSignal): Promise<string[]>;
  /** Null if the repository does not exist. */
  tags(repository: string, signal: AbortSignal): Promise<ListedTag[] | null>;
  credentials(): Promise<Credentials>;
}

const requestMs = 15_000;
const mostNames = 100_000;
/** A token lasts for twelve hours. Until it ends, it serves while its API does not answer. */
const renewBeforeMs = 30 * 60_000;

interface Token {
  credentials: Credentials;
  endsAt: number;
}

/** Its own credentials come from the default chain of AWS: pod identity, IRSA, profiles, variables. */
export function createEcrApi({ account, region }: EcrHost, onRequest: OnRequest): EcrApi {
  // Takes 30 MB, so it is imported only if ECR is configured.
  const library = () => import('@aws-sdk/client-ecr');
  const registryId = account;
  let opened: ECRClient | undefined;
  let token: Token | undefined;

  async function client(): Promise<ECRClient> {
    const { ECRClient: Client } = await library();
    opened ??= new Client({ region, requestHandler: awsRequestHandler() });
    return opened;
  }

  const asked = awsRequests(`ECR of ${account} in ${region}`, onRequest);
  const limit = (signal?: AbortSignal) => withinTime(requestMs, signal);

  async function newToken(): Promise<Token> {
    const { GetAuthorizationTokenCommand } = await library();
    const { authorizationData = [] } = await asked(async () =>
      (await client()).send(new GetAuthorizationTokenCommand({}), limit()),
    );
    const [{ authorizationToken = '', expiresAt } = {}] = authorizationData;
    const text = Buffer.from(authorizationToken, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    const [username, password] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
    if (username === '' || password === '') throw new RegistryError('malformed', 'ECR answered without a token');
    return { credentials: { username, password }, endsAt: expiresAt?.getTime() ?? 0 };
  }

  /** Tags are read in parallel, and one token serves them all, so it is kept before another request can ask for one. */
  const renew = singleFlight(async () => (token = await newToken()));

  return {
    repositories: (signal) =>
      asked(async () => {
        const { paginateDescribeRepositories } = await library();
        const names: string[] = [];
        const pages = paginateDescribeRepositories(
          { client: await client(), pageSize: 1000 },
          { registryId },
          limit(signal),
        );
        for await (const { repositories = [] } of pages) {
          for (const { repositoryName } of repositories) if (repositoryName !== undefined) names.push(repositoryName);
          if (names.length > mostNames) throw new RegistryError('malformed', `more than ${mostNames} repositories`);
        }
        return names;
      }, signal),

    tags: (repositoryName, signal) =>
      asked(async () => {
        const { paginateDescribeImages, RepositoryNotFoundException } = await library();
        const tags: ListedTag[] = [];
        const request = { registryId, repositoryName, filter: { tagStatus: 'TAGGED' as const } };
        try {
          for await (const { imageDetails = [] } of paginateDescribeImages(
            { client: await client(), pageSize: 1000 },
            request,
            limit(signal),
          )) {
            for (const { imageDigest = null, imageTags = [] } of imageDetails) {
              for (const tag of imageTags) tags.push({ tag, digest: imageDigest });
            }
            if (tags.length > mostNames) throw new RegistryError('malformed', `more than ${mostNames} tags`);
          }
          return tags;
        } catch (error) {
          if (error instanceof RepositoryNotFoundException) return null;
          throw error;
        }
      }, signal),

    async credentials() {
      const known = token;
      if (known && known.endsAt - renewBeforeMs > Date.now()) return known.credentials;
      const renewed = await renew().catch((error: unknown) => {
        if (known && known.endsAt > Date.now()) return known;
        throw error;
      });
      return renewed.credentials;
    },

    [Symbol.dispose]: () => opened?.destroy(),
  };
}
