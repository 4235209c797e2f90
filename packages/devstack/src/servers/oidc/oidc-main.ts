/** The process of the local identity provider. Its only argument is the path of its configuration. */
import { readFile } from 'node:fs/promises';
import { createOidcServer } from './create-oidc-server.ts';
import { OidcConfig } from './oidc-config.ts';
import { claimsOfPerson } from './people.ts';

const [, , configFile = ''] = process.argv;
const config = OidcConfig.parse(JSON.parse(await readFile(configFile, 'utf8')));
const server = createOidcServer(config, { claimsOf: claimsOfPerson });
server.listen(config.port, '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
