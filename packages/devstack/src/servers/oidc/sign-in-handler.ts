import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errors, type Provider } from 'oidc-provider';
import type { Accounts } from './create-provider.ts';
import { expiredPage, signInPage } from './sign-in-page.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Shows the page and passes the chosen person to the provider. */
export const signInHandler =
  (provider: Provider, { claimsOf }: Pick<Accounts, 'claimsOf'>): Handler =>
  async (request, response) => {
    try {
      await provider.interactionDetails(request, response);
      if (request.method !== 'POST') return sendPage(response, 200, signInPage);
      const accountId = new URLSearchParams(await text(request)).get('person') ?? '';
      if (!claimsOf(accountId)) return sendPage(response, 400, signInPage);
      await provider.interactionFinished(request, response, { login: { accountId } });
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      sendPage(response, 400, expiredPage);
    }
  };

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page);
}
