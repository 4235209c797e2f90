// The minimal work of a service: one NATS subscription, one indexed select, JSON out.
import { connect } from '@nats-io/transport-node';
import { Pool } from 'pg';

const [natsUrl = '', databaseUrl = '', subject = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: 10 });
const nc = await connect({ servers: natsUrl, noAsyncTraces: true });

async function answer(message: { data: Uint8Array; respond(data: string): boolean }): Promise<void> {
  const { id } = JSON.parse(new TextDecoder().decode(message.data)) as { id: string };
  const { rows } = await pool.query({ name: 'one', text: 'select row from floor where id = $1', values: [id] });
  message.respond(JSON.stringify(rows[0]));
}

process.stdout.write('ready\n');
for await (const message of nc.subscribe(subject, { queue: subject })) void answer(message);
