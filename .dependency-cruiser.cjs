/**
 * The floors of the house: imports only go down. ARCHITECTURE.md draws them; a test plants a forbidden import and sees
 * it refused, since a misconfigured checker is green by reading nothing.
 */
const S = 'server/src/'
/** Rank of each server feature: a feature may import features of lower rank only. */
const rank = {
  auth: 1,
  accounts: 2,
  feedback: 3,
  quotes: 3,
  payments: 3,
  subscriptions: 4,
  positions: 5,
  leaderboard: 6,
  traders: 6,
  webhooks: 5,
  notifications: 6,
}
const features = Object.keys(rank)
const roof = `^${S}(app|worker|main|seed|operator)\\.ts$`
/** Tests and what only they use may reach further. */
const test = '\\.test\\.tsx?$|/test-[^/]+\\.tsx?$|^server/test/|^sandbox/src/stripe/contract/'

const rules = [
  { name: 'no-circles', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
  {
    name: 'contract-knows-nobody',
    from: { path: '^contract/' },
    to: { path: '^(emails|server|web|sandbox)/' },
  },
  {
    name: 'emails-know-only-the-contract',
    from: { path: '^emails/' },
    to: { path: '^(server|web|sandbox)/' },
  },
  { name: 'web-knows-only-the-contract', from: { path: '^web/' }, to: { path: '^(server|emails|sandbox)/' } },
  {
    name: 'server-never-imports-web-or-sandbox',
    from: { path: '^server/src/', pathNot: test },
    to: { path: '^(web|sandbox)/' },
  },
  {
    name: 'sandbox-knows-nobody',
    from: { path: '^sandbox/' },
    to: { path: '^(contract|emails|server|web)/' },
  },
  {
    name: 'platform-knows-no-feature',
    from: { path: `^${S}platform/`, pathNot: test },
    to: { path: `^${S}(?!platform/)` },
  },
  {
    name: 'nobody-imports-the-roof',
    from: { path: `^${S}`, pathNot: `${roof}|${test}` },
    to: { path: roof },
  },
  {
    name: 'routes-and-tasks-are-doors',
    from: { path: `^${S}`, pathNot: `${roof}|${test}` },
    to: { path: '\\.(routes|task)\\.ts$' },
  },
  {
    name: 'routes-hold-no-sql',
    from: { path: '\\.routes\\.ts$' },
    to: { path: `^(node_modules/kysely|node_modules/pg)/`, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'queries-import-only-the-database',
    from: { path: '\\.queries\\.ts$' },
    to: { path: `^${S}`, pathNot: `^${S}platform/(database|hot-statement|schema|ids)\\.ts$` },
  },
  {
    name: 'web-ui-and-lib-lie-lowest',
    from: { path: '^web/src/(ui|lib)/' },
    to: { path: '^web/src/(features|screens|app)/' },
  },
  {
    name: 'web-features-below-screens',
    from: { path: '^web/src/features/' },
    to: { path: '^web/src/(screens|app)/' },
  },
  {
    name: 'web-features-are-neighbours',
    from: { path: '^web/src/features/([^/]+)/' },
    to: { path: '^web/src/features/', pathNot: '^web/src/features/$1/' },
  },
  {
    name: 'web-screens-below-app',
    from: { path: '^web/src/screens/' },
    to: { path: '^web/src/(screens|app)/' },
  },
  {
    name: 'only-declared-packages',
    from: { path: '^(contract|emails|server|web|sandbox)/src/', pathNot: test },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
  },
  { name: 'everything-resolves', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
  ...features.map((feature) => ({
    name: `floor-of-${feature}`,
    from: { path: `^${S}${feature}/`, pathNot: test },
    to: {
      path: `^${S}(${features.filter((other) => other !== feature && rank[other] >= rank[feature]).join('|') || 'nothing'})/`,
    },
  })),
]

module.exports = {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
