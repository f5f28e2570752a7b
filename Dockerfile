# The product in one image: `api` and `worker` are commands of it (compose.yaml). Run as commands in a clean folder by
# scripts/image-stages.ts, where there is no container engine.
FROM node:26-slim AS build
WORKDIR /product
COPY . .
RUN npm ci --no-audit --no-fund && node scripts/build.ts

FROM node:26-slim
WORKDIR /product
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV DATA_DIR=/data
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/package.json
COPY record/package.json record/package.json
COPY emails/package.json emails/package.json
COPY server/package.json server/package.json
COPY web/package.json web/package.json
COPY sandbox/package.json sandbox/package.json
# Without what builds and tests, and without the PostgreSQL and the Node of npm.
RUN npm ci --omit=dev --omit=optional --workspace @tradepost/server --no-audit --no-fund
COPY contract/src contract/src
COPY record/src record/src
COPY record/built record/built
COPY emails/src emails/src
COPY server/src server/src
COPY server/migrations server/migrations
COPY server/texts server/texts
COPY server/fonts server/fonts
COPY --from=build /product/emails/dist emails/dist
COPY --from=build /product/web/dist web/dist
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "server/src/main.ts", "api"]
