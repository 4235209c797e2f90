# The images of Berth, from what `npm run images` has put into dist/: a target for each service, one for the runner with
# Helm, and one for the command line. Nothing is run while they are built, so the base image needs no shell, but that of the runner, whose /bin/sh becomes Helm;
# it needs Node 24 on its PATH, and the C and C++ libraries that Node needs. Everything in an image is readable by anybody and writable by nobody.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS part
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.vendor="Berth" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
# Without it a home that does not exist; /tmp and /data are what an installation makes writable.
ENV NODE_ENV=production HOME=/tmp HEALTH_HOST=0.0.0.0 HEALTH_PORT=9090
WORKDIR /berth
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["node", "/berth/main.mjs"]
# The base may have a command of its own, which would be taken for one of ours.
CMD []

FROM part AS auth
LABEL org.opencontainers.image.title="berth-auth" \
  org.opencontainers.image.description="Berth: sign-in, users, envs and permissions"
COPY dist/auth /berth/

FROM part AS tasks
LABEL org.opencontainers.image.title="berth-tasks" \
  org.opencontainers.image.description="Berth: deployments and their tasks"
COPY dist/tasks /berth/

FROM part AS cluster-sync
LABEL org.opencontainers.image.title="berth-cluster-sync" \
  org.opencontainers.image.description="Berth: clusters and the objects in them"
# Lists of many clusters make much garbage that lives for a moment; by default V8 keeps 128 MB for it. Without the others,
# glibc keeps memory for each thread, and pages of lists that were freed.
ENV NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
# V8 keeps what its heap once had: it may grow by half of what lives, and not to four times of it, before old objects are collected.
# NODE_OPTIONS takes no such flag.
ENTRYPOINT ["node", "--heap-growing-percent=50", "/berth/main.mjs"]
COPY dist/cluster-sync /berth/

FROM part AS registry-scan
LABEL org.opencontainers.image.title="berth-registry-scan" \
  org.opencontainers.image.description="Berth: charts in registries"
# Push events of registries.
ENV PUSH_HOST=0.0.0.0
COPY dist/registry-scan /berth/

FROM part AS api-gateway
LABEL org.opencontainers.image.title="berth-api-gateway" \
  org.opencontainers.image.description="Berth: the HTTP API"
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
COPY dist/api-gateway /berth/

FROM part AS runner
LABEL org.opencontainers.image.title="berth-runner" \
  org.opencontainers.image.description="Berth: the runner of tasks, with Helm"
ENV HELM_BINARY=/berth/bin/helm RUNNER_FOLDER=/data
# Each poll has a connection of its own, which is garbage some milliseconds later; by default V8 keeps 128 MB for it.
ENV NODE_OPTIONS=--max-semi-space-size=8
COPY dist/runner /berth/

# For pipelines. It serves nothing, and finds its platform by BERTH_URL and BERTH_TOKEN.
FROM part AS cli
LABEL org.opencontainers.image.title="berth-cli" \
  org.opencontainers.image.description="Berth: the command line"
ENV PATH=/berth/bin:/usr/local/bin:/usr/bin:/bin
WORKDIR /work
ENTRYPOINT ["node", "/berth/berth.js"]
COPY dist/cli /berth/
