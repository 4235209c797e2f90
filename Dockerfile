# One image per service, from what `npm run build` has put into dist/<service>:
#   docker build --build-arg SERVICE=auth -t berth/auth .
# The runner is the image of `tasks` with the command `node services/tasks/src/runner-main.ts` and Helm 4 at /usr/local/bin/helm.
FROM node:24-slim
ARG SERVICE
ENV NODE_ENV=production SERVICE=${SERVICE}
WORKDIR /app
COPY --chown=root:root dist/${SERVICE}/ ./
USER node
CMD ["sh", "-c", "exec node --enable-source-maps services/$SERVICE/src/main.ts"]
