import { databaseCommands } from '@berth/db/admin/database-commands';
import { runAdmin } from '@berth/db/admin/run-admin';

const service = 'registry-scan';
const migrations = new URL('../migrations/', import.meta.url);

await runAdmin(service, databaseCommands({ service, migrations }), {
  environment: process.env,
  args: process.argv.slice(2),
  print: (text) => void process.stderr.write(text),
});
