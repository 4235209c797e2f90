import type { Resource } from '@berth/contracts/definition/contract';
import { openApiDocument } from '@berth/contracts/openapi/openapi';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { acceptedEncoding } from '../http/compression/accepted-encoding.ts';
import { encodedOnce, isNamedIn } from '../http/compression/encoded-once.ts';
import { absolutePath } from 'swagger-ui-dist';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Berth API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/api/v2/docs/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/api/v2/docs/assets/swagger-ui-bundle.js"></script>
<script src="/api/v2/docs/show.js"></script>
</body>
</html>
`;

const showScript = `SwaggerUIBundle({ url: '/api/v2/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });\n`;

/** Everything is loaded from this server; only computed styles are inline. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the OpenAPI document, generated from the contracts once at start, and a page that renders it. */
export function documentationRoutes(
  app: FastifyInstance,
  { resources, version, ownUrl }: { resources: readonly Resource[]; version: string; ownUrl: string },
): void {
  const document = encodedOnce(JSON.stringify(openApiDocument(resources, { version, url: ownUrl })));

  app.get('/api/v2/openapi.json', (request, reply) => {
    const { bytes, etag, encoding } = document[acceptedEncoding(request.headers['accept-encoding']) ?? 'identity'];
    reply.headers({ 'cache-control': 'no-cache', etag, vary: 'accept-encoding' });
    if (isNamedIn(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type('application/json').send(bytes);
  });
  app.get('/api/v2/docs', (_request, reply) =>
    reply.type('text/html').header('content-security-policy', contentSecurityPolicy).send(page),
  );
  app.get('/api/v2/docs/show.js', (_request, reply) => reply.type('text/javascript').send(showScript));
  app.register(fastifyStatic, {
    root: absolutePath(),
    prefix: '/api/v2/docs/assets/',
    decorateReply: false,
    index: false,
    allowedPath: (path) => /^\/swagger-ui(-bundle)?\.(css|js)$/.test(path),
  });
}
