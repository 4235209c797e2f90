import { databaseCommands } from '@berth/db/admin/database-commands';
import { runAdmin } from '@berth/db/admin/run-admin';
import { readConfig } from '@berth/service/read-config';
import { RotateKeyConfig } from './config.ts';
import { sealAgain } from './secrets/seal-again.ts';

const service = 'tasks';
const migrations = new URL('../migrations/', import.meta.url);
const commands = {
  ...databaseCommands({ service, migrations }),
  'seal-again': sealAgain({ migrations, settingsIn: (environment) => readConfig(RotateKeyConfig, environment) }),
};

await runAdmin(service, commands, {
  environment: process.env,
  args: process.argv.slice(2),
  print: (text) => void process.stderr.write(text),
});
