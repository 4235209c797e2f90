/** Whether traces are exported. If not, the API's no-ops cost next to nothing. */
export const wantsTraces = (environment: Record<string, string | undefined>): boolean =>
  Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);

/**
 * Exports traces by OTLP over HTTP; endpoint, headers and sampling come from the usual `OTEL_…` variables. The SDK is loaded only
 * if needed: most installations do without it.
 */
export async function startTracing(service: string): Promise<AsyncDisposable> {
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
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());

  return {
    async [Symbol.asyncDispose]() {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
