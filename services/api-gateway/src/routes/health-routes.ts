import type { ServiceName } from '@berth/shared/contracts/contract';
import { serviceNames } from '@berth/shared/contracts/contract';
import type { FastifyInstance } from 'fastify';

export interface HealthDeps {
  /** The process is alive: its event loop turns and its bus connection hears itself. */
  isAlive: () => boolean;
  isConnected: () => boolean;
  isAnswering: (service: ServiceName) => Promise<boolean>;
}

const others = serviceNames.filter((name) => name !== 'api-gateway');

/** `/healthz`: this process lives. `/readyz`: the bus and every service answer, each told by name. */
export function healthRoutes(app: FastifyInstance, { isAlive, isConnected, isAnswering }: HealthDeps): void {
  app.get('/healthz', async (_request, reply) => {
    const alive = isAlive();
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'ok' : 'failing' });
  });

  app.get('/readyz', async (_request, reply) => {
    const bus = isConnected();
    const answers = await Promise.all(
      others.map(async (name) => [name, bus && (await isAnswering(name)) ? 'ok' : 'not answering'] as const),
    );
    const ready = bus && answers.every(([, state]) => state === 'ok');
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '1' })
      .send({
        status: ready ? 'ok' : 'not ready',
        bus: bus ? 'ok' : 'not connected',
        services: Object.fromEntries(answers),
      });
  });
}
