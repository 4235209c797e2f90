import { type ServiceName, serviceNames } from '@berth/contracts/definition/contract';
import { singleFlight } from '@berth/service/waiting/single-flight';
import type { FastifyInstance } from 'fastify';

export interface HealthDeps {
  /** Whether the process is alive: its event loop runs, and its bus connection receives its own messages. */
  isAlive: () => boolean;
  isConnected: () => boolean;
  isAnswering: (service: ServiceName) => Promise<boolean>;
  /** Aborts when the gateway stops, which makes it unready. */
  stopping: AbortSignal;
}

interface Readiness {
  ready: boolean;
  bus: boolean;
  services: Record<string, 'ok' | 'not answering'>;
}

const others = serviceNames.filter((name) => name !== 'api-gateway');

/** `/healthz`: this process is alive. `/readyz`: the bus and every service answer, each listed by name. */
export function healthRoutes(app: FastifyInstance, { isAlive, isConnected, isAnswering, stopping }: HealthDeps): void {
  const config = { isProbe: true };

  // Anybody can request this, so concurrent requests share one check.
  const readiness = singleFlight(async (): Promise<Readiness> => {
    const bus = isConnected();
    const states = await Promise.all(
      others.map(async (name) => [name, bus && (await isAnswering(name)) ? 'ok' : 'not answering'] as const),
    );
    return { ready: bus && states.every(([, state]) => state === 'ok'), bus, services: Object.fromEntries(states) };
  });

  app.get('/healthz', { config }, async (_request, reply) => {
    const alive = isAlive();
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'ok' : 'failing' });
  });

  app.get('/readyz', { config }, async (_request, reply) => {
    const { ready, bus, services } = await readiness();
    const status = stopping.aborted ? 'stopping' : ready ? 'ok' : 'not ready';
    if (status !== 'ok') reply.code(503).header('retry-after', '1');
    return { status, bus: bus ? 'ok' : 'not connected', services };
  });
}
