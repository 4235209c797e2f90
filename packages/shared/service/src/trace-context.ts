import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** The W3C `traceparent` of the current span, to be stored with work that is done later; null without tracing. */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Runs deferred work within the trace that requested it; a malformed `traceparent` starts a new trace. */
export async function inTraceOf<T>(
  traceparent: string | null | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const parent = traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();
  const span = trace.getTracer('berth').startSpan(name, { kind: SpanKind.CONSUMER }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Runs a step of the current trace in a span of its own. */
export function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return trace.getTracer('berth').startActiveSpan(name, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
