/** The process of the local identity provider. Its only argument is the path of its configuration. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createProvider, INTERACTION_PATH } from './create-provider.ts';
import { OidcConfig } from './oidc-config.ts';
import { signInHandler } from './sign-in-handler.ts';

const [, , configFile = ''] = process.argv;
const config = OidcConfig.parse(JSON.parse(await readFile(configFile, 'utf8')));
const provider = createProvider(config);
const answer = provider.callback();
const signIn = signInHandler(provider);

const server = createServer((request, response) => {
  const handled = request.url?.startsWith(INTERACTION_PATH) ? signIn(request, response) : answer(request, response);
  handled.catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(config.port, '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
