// The minimal work of a gateway: fastify and the given number of sequential NATS hops.
import { connect } from '@nats-io/transport-node';
import Fastify from 'fastify';

const [natsUrl = '', port = '0', ...subjects] = process.argv.slice(2);
const nc = await connect({ servers: natsUrl, noAsyncTraces: true });
const app = Fastify();

app.get<{ Params: { id: string } }>('/things/:id', async ({ params }) => {
  let row: unknown;
  for (const subject of subjects) {
    const reply = await nc.request(subject, JSON.stringify({ id: params.id }), { timeout: 5_000 });
    row = JSON.parse(reply.string());
  }
  return row;
});

await app.listen({ host: '127.0.0.1', port: Number(port) });
process.stdout.write('ready\n');
