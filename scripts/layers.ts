/**
 * The layers of the repository: which folder may import which (ARCHITECTURE.md draws them). Imports go down only. Every folder
 * of a root below is named here; `scripts/check-imports.ts` fails on one that is not, and holds every import to the rules.
 */

/**
 * Lowest layer first. Folders of one layer import none of each other; a folder may import those of lower layers. A folder whose
 * parts have different layers, as `mail` has, is named by its parts and holds no file.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'contract/src': [],
  'record/src': [],
  'record/programs': [],
  'emails/src': [],
  'server/src': [
    ['platform'],
    ['mail/smtp', 'stripe', 'work'],
    ['mail/suppressions'],
    ['mail/outbox'],
    ['auth/keys'],
    ['auth/users'],
    ['auth/audit'],
    ['auth/sessions'],
    ['auth/sign-in'],
    ['auth/factors'],
    ['auth/email-change'],
    ['auth/entry'],
    ['events', 'gotrue'],
    ['accounts'],
    ['billing/provider', 'feedback', 'quotes/provider'],
    ['billing/customers', 'billing/prices', 'quotes/adapters', 'quotes/symbols'],
    ['billing/payouts', 'billing/trials', 'quotes/prices'],
    ['billing/entitlements', 'billing/discounts'],
    ['billing/checkouts', 'billing/debts', 'billing/desk', 'billing/offers', 'positions/record'],
    ['billing/empty-months', 'billing/subscriptions', 'positions/list'],
    ['billing/agreements', 'billing/leaving', 'billing/warnings'],
    ['billing/entry', 'billing/webhooks', 'positions/publish'],
    ['mail/unsubscribe', 'positions/correct', 'push/devices', 'record'],
    ['mail/event-mails', 'mail/plan', 'mail/refusals', 'push/send'],
    ['mail/progress'],
    [
      'activity',
      'closing',
      'following',
      'leaderboard',
      'mail/notices',
      'mail/broadcast',
      'marks',
      'proven',
      'traders',
    ],
    [
      'api-docs',
      'backup',
      'exports/tables',
      'feed',
      'landing',
      'mail/report-formats',
      'monitoring',
      'public-pages',
      'support',
    ],
    ['disputes', 'exports/file', 'mail/reports'],
    ['exports/links'],
    ['dev'],
  ],
  'web/src': [
    ['lib', 'ui'],
    ['features'],
    ['parts'],
    ['screens'],
    ['app'],
    ['api-docs', 'development', 'document', 'service-worker', 'verify'],
  ],
  'web/src/features': [
    ['account', 'activity', 'feedback', 'landing', 'payments', 'positions', 'session', 'traders'],
  ],
  'sandbox/src': [['mailbox', 'market', 'stripe']],
  'sandbox/src/stripe': [
    ['refusals', 'shape'],
    ['gate', 'model'],
    ['store'],
    ['delivery'],
    ['world'],
    ['ledger', 'time', 'wire'],
    ['catalog', 'connect', 'discounts', 'tax', 'webhooks'],
    ['payments'],
    ['billing'],
    ['checkout', 'customers', 'portal'],
    ['clock'],
    ['control'],
    ['pages'],
  ],
}

/** Folders that hold nothing but tests, and what they use: they have no layer. */
export const TEST_FOLDERS: readonly string[] = ['sandbox/src/stripe/contract']

/** The workspaces of package.json and what each may import of the others; code that is not shipped may import everything. */
export const WORKSPACES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  record: [],
  emails: ['contract'],
  server: ['contract', 'emails', 'record'],
  web: ['contract', 'record'],
  sandbox: [],
}

/** Files of sandbox/src that its folders use. All other files beside the folders of a root are entry files: no folder imports them. */
const SANDBOX_BASE = '^sandbox/src/(clock|html|page|part|style)\\.ts$'
/** Tests, and what only they use. */
export const TEST = [
  '\\.test\\.tsx?$',
  '^record/test-vectors/',
  '^record/(src|programs)/test-[^/]+\\.ts$',
  '^web/src/test-setup\\.ts$',
  '^web/src/.*/test-[^/]+\\.tsx?$',
  '^server/test/',
  ...TEST_FOLDERS.map((folder) => `^${folder}/`),
].join('|')

/** Beside `platform`, whose `DatabaseClient` is every connection to PostgreSQL (dates as ISO, UTC): what listens to all that the library is asked. */
const KNOWS_PG = '^server/test/database/statement-rules\\.ts$|^scripts/note-statements\\.ts$'

type Where = { path?: string; pathNot?: string }
/** A rule of dependency-cruiser: imports that match both ends are refused. */
export type ImportRule = {
  name: string
  severity: 'error'
  from: Where
  to: Where & {
    couldNotResolve?: boolean
    dynamic?: boolean
    dependencyTypes?: string[]
    dependencyTypesNot?: string[]
  }
}

const others = Object.keys(WORKSPACES)

function refuse(name: string, from: Where, to: ImportRule['to']): ImportRule {
  return { name, severity: 'error', from, to }
}

/** One rule a workspace: it imports those that it may and no other. */
const workspaceRules = Object.entries(WORKSPACES).map(([workspace, allowed]) =>
  refuse(
    `workspace-${workspace}`,
    { path: `^${workspace}/`, pathNot: TEST },
    { path: `^(${others.filter((name) => name !== workspace && !allowed.includes(name)).join('|')})/` },
  ),
)

/** One rule for each folder: it imports nothing from other folders of its layer, layers above or the entry files. */
const layerRules = Object.entries(LAYERS).flatMap(([root, layers]) =>
  layers.flatMap((layer, rank) =>
    layer.map((folder) => {
      const forbidden = layers
        .slice(rank)
        .flat()
        .filter((other) => other !== folder)
        .map((other) => `${other}/`)
      return refuse(
        `layer-${root}/${folder}`,
        { path: `^${root}/${folder}/`, pathNot: TEST },
        { path: `^${root}/(${[...forbidden, '[^/]+$'].join('|')})`, pathNot: SANDBOX_BASE },
      )
    }),
  ),
)

export const RULES: readonly ImportRule[] = [
  ...workspaceRules,
  ...layerRules,
  refuse('sandbox-base', { path: SANDBOX_BASE }, { path: '^sandbox/src/', pathNot: SANDBOX_BASE }),
  refuse(
    'screens-import-no-screen',
    { path: '^web/src/screens/', pathNot: TEST },
    { path: '^web/src/screens/' },
  ),
  refuse(
    'only-entries-import-routes-and-tasks',
    { path: '^server/src/[^/]+/', pathNot: TEST },
    { path: '\\.(routes|task)\\.ts$' },
  ),
  refuse(
    'routes-hold-no-sql',
    { path: '\\.routes\\.ts$' },
    { path: '(^|/)node_modules/(kysely|pg)/', dependencyTypesNot: ['type-only'] },
  ),
  refuse(
    'queries-import-only-the-database',
    { path: '\\.queries\\.ts$' },
    {
      path: '^server/src/',
      // `company-name-of`, `ended-at`, `entitled-events`, `folded-name`, `held-value`, `notified-together`, `person-page`,
      // `quote-known-at`, `shown-events` and `shown-position` are parts of statements that several share.
      pathNot:
        '^server/src/(platform/(database/(queryable|database-errors|schema|living-workers)|ids)|accounts/folded-name|positions/record/(held-value|ended-at|shown-position|notified-together)|quotes/(symbols/company-name-of|prices/quote-known-at)|billing/entitlements/(entitled-events|followed-price)|activity/shown-events|exports/tables/person-page)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  ),
  refuse(
    'only-local-services-imports-dev',
    { path: '^server/src/', pathNot: `^server/src/(dev/|local-services\\.ts$)|${TEST}` },
    { path: '^server/src/dev/' },
  ),
  refuse(
    'dev-is-loaded-when-needed',
    { path: '^server/src/local-services\\.ts$' },
    { path: '^server/src/dev/', dynamic: false, dependencyTypesNot: ['type-only'] },
  ),
  refuse(
    'product-imports-no-tests',
    { path: '^(contract|record|emails|server|web|sandbox)/', pathNot: TEST },
    { path: TEST },
  ),
  refuse(
    'only-declared-packages',
    { path: '^(contract|record|emails|server|web|sandbox)/src/', pathNot: TEST },
    { path: '.', dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
  ),
  refuse(
    'record-knows-neither-browser-nor-node',
    { path: '^record/src/', pathNot: TEST },
    { path: '.', pathNot: '^record/src/' },
  ),
  refuse(
    'only-platform-opens-connections',
    { pathNot: `^server/src/platform/|${KNOWS_PG}` },
    { path: '(^|/)node_modules/pg/', dependencyTypesNot: ['type-only'] },
  ),
  refuse(
    'only-entries-choose-a-provider',
    { path: '^server/src/[^/]+/', pathNot: `^server/src/(quotes/adapters|dev)/|${TEST}` },
    { path: '^server/src/quotes/adapters/' },
  ),
  refuse(
    'only-mail-smtp-speaks-smtp',
    { path: '^server/src/', pathNot: `^server/src/mail/smtp/|${TEST}` },
    // Its parser of addresses speaks to nobody.
    { path: '(^|/)node_modules/nodemailer/', pathNot: 'nodemailer/.*addressparser' },
  ),
  refuse(
    'only-stripe-speaks-to-stripe',
    { path: '^server/src/', pathNot: `^server/src/stripe/|${TEST}` },
    { path: '(^|/)node_modules/stripe/|^server/src/stripe/sdk\\.ts$' },
  ),
  refuse('everything-resolves', {}, { couldNotResolve: true, pathNot: '^node:' }),
]
