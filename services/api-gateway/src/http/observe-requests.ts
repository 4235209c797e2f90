import type { Service } from '@berth/service/service';
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
import { anyPath } from './refuse-other-methods.ts';
import { requestMetrics } from './request-metrics.ts';

const headersAsCarrier: TextMapGetter<FastifyRequest['headers']> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, key) => headers[key],
};

/** The client closed the connection before the response was sent; only counted, never sent. */
const clientClosedRequest = 499;

/** Records one span, one log line and one measurement for each request, however it ends. */
export function observeRequests(app: FastifyInstance, { log, metrics }: Pick<Service, 'log' | 'metrics'>) {
  const { seconds, inFlight } = requestMetrics(metrics);
  const tracer = trace.getTracer('berth');

  function begin(request: FastifyRequest, reply: FastifyReply): Span {
    const started = performance.now();
    const { id, method, routeOptions } = request;
    // The pattern of the route: paths have unlimited cardinality, and queries may contain secrets.
    const { url, config } = routeOptions;
    const route = url === undefined || url === anyPath ? 'unknown' : url;
    const parent = propagation.extract(context.active(), request.headers, headersAsCarrier);
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER }, parent);
    inFlight.count += 1;

    reply.raw.once('close', () => {
      const ms = performance.now() - started;
      const status = reply.raw.writableFinished ? reply.raw.statusCode : clientClosedRequest;
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
    // Calls over the bus take the span from the context; without tracing there is none.
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
