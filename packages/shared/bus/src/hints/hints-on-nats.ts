import { Bug } from '@berth/contracts/errors';
import type { Logger } from 'pino';
import type { Hints } from './hints.ts';
import type { Connection } from '../connection/connection.ts';
import { hintSubject } from '../protocol/subjects.ts';

const saneKey = /^[\w-]{1,100}$/;

export const createHints = (connection: Connection, log: Logger): Hints => ({
  send(name, key) {
    if (!saneKey.test(key)) throw new Bug(`a hint's key must be letters, digits, _ or -: ${name}`);
    // Checked here, because a hint may be lost: an invalid key would go unnoticed.
    if (connection.isUp()) connection.nc.publish(hintSubject(name, key));
  },

  listen(name, onHint, { key = '*', signal }) {
    if (signal.aborted) return;
    const subscription = connection.nc.subscribe(hintSubject(name, key), { slow: 1_000 });
    const stop = () => subscription.unsubscribe();
    signal.addEventListener('abort', stop, { once: true });
    void (async () => {
      try {
        for await (const message of subscription) {
          try {
            onHint(message.subject.split('.').at(-1) ?? '');
          } catch (error) {
            log.error({ err: error, hint: name }, 'handling a hint failed');
          }
        }
      } catch (error) {
        log.error({ err: error, hint: name }, 'hints are no longer received');
      } finally {
        signal.removeEventListener('abort', stop);
      }
    })();
  },
});
