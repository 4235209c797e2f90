import { databaseCommands } from '@berth/db/admin/database-commands';
import { runAdmin } from '@berth/db/admin/run-admin';
import { readConfig } from '@berth/service/read-config';
import { SigningKeysConfig } from './config.ts';
import { signingKeyCommands } from './signing-keys/signing-key-commands.ts';

const service = 'auth';
const migrations = new URL('../migrations/', import.meta.url);

const commands = {
  ...databaseCommands({ service, migrations }),
  ...signingKeyCommands({ migrations, settingsIn: (environment) => readConfig(SigningKeysConfig, environment) }),
};

await runAdmin(service, commands, {
  environment: process.env,
  args: process.argv.slice(2),
  print: (text) => void process.stderr.write(text),
});
