import { trace } from '@opentelemetry/api';
import { type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger, pino } from 'pino';
import { bunchedOutput } from './bunched-output.ts';
import { errorForLog } from './error-for-log.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface LogOptions {
  level?: string | undefined;
  destination?: DestinationStream | undefined;
}

/** One JSON object per line on standard output. Hides fields named like a secret, and keeps type, message and frames of errors. */
export function createLog(service: string, { level = 'info', destination }: LogOptions = {}): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: withoutSecrets,
    },
    serializers: { err: (error: unknown) => errorForLog(error), error: (error: unknown) => errorForLog(error) },
    mixin: currentTrace,
  };
  return guardChildren(pino(options, destination ?? bunchedOutput()));
}

/** Bindings of a child logger skip the formatters; children inherit this override. */
function guardChildren(log: Logger): Logger {
  const { child } = log;
  function guarded(this: Logger, bindings: Bindings, options?: ChildLoggerOptions): Logger {
    return Reflect.apply(child, this, [withoutSecrets(bindings), options]);
  }
  Object.assign(log, { child: guarded });
  return log;
}

function currentTrace(): { trace_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId } : {};
}
