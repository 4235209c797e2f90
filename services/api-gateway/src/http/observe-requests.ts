import type { Service } from '@berth/shared/service/service';
import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestMetrics } from './request-metrics.ts';

const headersAsCarrier: TextMapGetter<FastifyRequest['headers']> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, key) => headers[key],
};

/** The client went away before the answer was out; never sent, only counted. */
const clientGone = 499;

/** One span, one line in the log and one measurement for each request, however it ends. */
export function observeRequests(app: FastifyInstance, { log, metrics }: Pick<Service, 'log' | 'metrics'>) {
  const { seconds, inFlight } = requestMetrics(metrics);
  const tracer = trace.getTracer('berth');

  function begin(request: FastifyRequest, reply: FastifyReply): Span {
    const started = performance.now();
    const { id, method, routeOptions } = request;
    // Patterns, not paths: those have no bound, and queries may hold what is not for logs.
    const { url: route = 'unknown', config } = routeOptions;
    const parent = propagation.extract(context.active(), request.headers, headersAsCarrier);
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER }, parent);
    inFlight.count += 1;

    reply.raw.once('close', () => {
      const ms = performance.now() - started;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : clientGone;
      inFlight.count -= 1;
      seconds.observe({ method, route, status }, ms / 1_000);
      if (!config?.isProbe)
        log.info(
          { ...lineOf(request), method, route, status, ms: Math.round(ms * 10) / 10, ...traceOf(span) },
          'request',
        );
      if (span.isRecording()) {
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'berth.request_id': id,
        });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
    return span;
  }

  app.addHook('onRequest', (request, reply, done) => {
    const span = begin(request, reply);
    // Calls over the bus take the span from the context; without traces there is nothing to carry.
    if (trace.isSpanContextValid(span.spanContext())) context.with(trace.setSpan(context.active(), span), done);
    else done();
  });
  return { begin };
}

const lineOf = ({ id, identity }: FastifyRequest) => ({
  request_id: id,
  ...(identity && { identity_kind: identity.kind, identity_id: identity.id }),
});

const traceOf = (span: Span) => (span.isRecording() ? { trace_id: span.spanContext().traceId } : undefined);
