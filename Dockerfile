# The image contains the package that `npm run package` makes, and Node. docs/install.md describes its use.

FROM node:24-trixie-slim AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies are a layer of their own, which a change of the sources leaves alone.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run package \
  && mkdir /package \
  && tar --extract --gzip --strip-components=1 --directory=/package --no-same-owner --file project-management-service-*.tgz

FROM node:24-trixie-slim
# Serves the repositories.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/*
LABEL org.opencontainers.image.title="Project Management Service" \
  org.opencontainers.image.licenses="MIT"
# Signals that arrive before the service listens for them would be lost on process 1, and orphans would remain; tini is process 1.
COPY --from=build /usr/bin/tini-static /usr/local/bin/tini
COPY --from=build /package /opt/pms
RUN ln -s /opt/pms/dist/src/cli/main.js /usr/local/bin/pms \
  && install --directory --owner=node --group=node --mode=0700 /data
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  DATABASE_URL=sqlite:/data/service.db \
  STORAGE_URL=file:/data/files \
  GIT_ROOT=/data/git \
  IMPORT_ROOT=/data/imports
# The user `node`, as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
# Commands write their files here, also when the rest is read-only.
WORKDIR /data
VOLUME /data
EXPOSE 3000
# Liveness: whoever restarts an unhealthy container would gain nothing while the database is away.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 CMD ["pms", "health", "--live"]
ENTRYPOINT ["tini", "--", "pms"]
CMD ["serve"]
