import { createServer, type Server } from 'node:http';
import { type Accounts, createProvider, INTERACTION_PATH } from './create-provider.ts';
import type { OidcConfig } from './oidc-config.ts';
import { signInHandler } from './sign-in-handler.ts';

/** The provider's HTTP server, which is not listening yet; posting `person=<subject>` signs in. */
export function createOidcServer(config: OidcConfig, accounts: Accounts): Server {
  const provider = createProvider(config, accounts);
  const answer = provider.callback();
  const signIn = signInHandler(provider, accounts);

  return createServer((request, response) => {
    const handled = request.url?.startsWith(INTERACTION_PATH) ? signIn(request, response) : answer(request, response);
    handled.catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
}
