import { Agent } from 'node:http';
import { ProxiedAgent } from './proxy/proxied-agent.ts';
import { proxyFor, proxyVariables } from './proxy/proxy-for.ts';

/** Whether traces are exported. If not, the API's no-ops cost next to nothing. */
export const wantsTraces = (environment: Record<string, string | undefined>): boolean =>
  Boolean(endpointOf(environment));

const endpointOf = (environment: Record<string, string | undefined>): string | undefined =>
  environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * Exports traces by OTLP over HTTP; endpoint, headers and sampling come from the usual `OTEL_…` variables. The SDK is loaded only
 * if needed: most installations do without it.
 */
export async function startTracing(
  service: string,
  environment: Record<string, string | undefined>,
): Promise<AsyncDisposable> {
  const [{ context, propagation, trace }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }, hooks, core] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
    ]);

  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'berth' }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(throughProxy(environment)) })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());

  return {
    async [Symbol.asyncDispose]() {
      try {
        await provider.shutdown();
      } finally {
        trace.disable();
        context.disable();
        propagation.disable();
      }
    },
  };
}

/** Only on the way through a proxy, since an agent of our own replaces the certificates of `OTEL_EXPORTER_OTLP_…`. */
function throughProxy(environment: Record<string, string | undefined>) {
  const endpoint = URL.parse(endpointOf(environment) ?? '');
  if (endpoint === null || proxyFor(endpoint) === null) return {};
  const httpAgentOptions = (protocol: string) =>
    protocol === 'https:'
      ? new ProxiedAgent({ keepAlive: true })
      : new Agent({ keepAlive: true, proxyEnv: proxyVariables() });
  return { httpAgentOptions };
}
