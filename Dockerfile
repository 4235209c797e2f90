# Images from what `npm run build` has put into dist/<service>:
#   docker build --target service --build-arg SERVICE=auth --tag berth/auth .
#   docker build --target runner  --build-arg SERVICE=tasks --tag berth/runner .

FROM node:24-bookworm-slim AS service
ARG SERVICE
ENV NODE_ENV=production SERVICE=${SERVICE} HEALTH_HOST=0.0.0.0 HEALTH_PORT=9090
WORKDIR /berth
COPY dist/${SERVICE} ./
USER node
EXPOSE 9090
CMD ["sh", "-c", "exec node services/$SERVICE/src/main.ts"]

FROM debian:bookworm-slim AS helm
ARG HELM_VERSION=4.3.1
ARG TARGETARCH=amd64
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates curl
WORKDIR /helm
RUN archive="helm-v${HELM_VERSION}-linux-${TARGETARCH}.tar.gz" \
  && curl --fail --silent --show-error --location --remote-name-all \
    "https://get.helm.sh/${archive}" "https://get.helm.sh/${archive}.sha256sum" \
  && sha256sum --check "${archive}.sha256sum" \
  && tar --extract --gzip --file "${archive}" --strip-components 1

FROM service AS runner
ENV HELM_BINARY=/usr/local/bin/helm RUNNER_FOLDER=/tmp/berth-runner
COPY --from=helm /helm/helm /usr/local/bin/helm
CMD ["node", "services/tasks/src/runner-main.ts"]
