import { connect } from 'node:net';

/** Whether the server on this loopback port is NATS with JetStream: it sends its capabilities as the first line of a connection. */
export function greetsWithJetStream(port: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...(signal && { signal }) });
    socket.once('error', reject);
    socket.once('data', (line) => {
      socket.destroy();
      resolve(line.includes('"jetstream":true'));
    });
  });
}
