import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findImportFaults } from './check-imports.ts'
import { drawImports } from './draw-imports.ts'
import { LAYERS, RULES, WORKSPACES } from './layers.ts'

const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'tradepost-imports-'))
/** The faults of the copy once everything forbidden is planted in it. */
let faults: string[] = []

/** The repository's sources beside its libraries, but with its own workspaces. */
function copyRepository(): void {
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.base.json', '.dependency-cruiser.mjs'])
    cpSync(join(root, file), join(copy, file))
  cpSync(join(root, 'scripts/layers.ts'), join(copy, 'scripts/layers.ts'))
  mkdirSync(join(copy, 'node_modules/@tradepost'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@tradepost') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const workspace of Object.keys(WORKSPACES)) {
    for (const part of ['package.json', 'src'])
      cpSync(join(root, workspace, part), join(copy, workspace, part), { recursive: true })
    symlinkSync(join(copy, workspace), join(copy, 'node_modules/@tradepost', workspace))
  }
}

/** Writes a file that imports others. @param to paths from the root, or a package's name */
function plant(file: string, to: string[] = [], word = 'import'): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  const lines = to.map((path) => `${word} '${addressed(file, path)}'\n`)
  writeFileSync(join(copy, file), `${lines.join('')}export const planted = 1\n`)
}

function addressed(file: string, path: string): string {
  if (!path.includes('/')) return path
  const address = relative(dirname(file), path)
  return address.startsWith('.') ? address : `./${address}`
}

const layered = Object.entries(LAYERS).flatMap(([where, layers]) =>
  layers.flatMap((layer, rank) =>
    layer.map((folder) => ({
      file: `${where}/${folder}/planted.ts`,
      rule: `layer-${where}/${folder}`,
      lower: layers
        .slice(0, rank)
        .flat()
        .map((name) => `${where}/${name}/planted.ts`),
      refused: [
        ...layers
          .slice(rank)
          .flat()
          .filter((name) => name !== folder)
          .map((name) => `${where}/${name}/planted.ts`),
        `${where}/planted-entry.ts`,
      ],
    })),
  ),
)

const workspaces = Object.entries(WORKSPACES).map(([workspace, allowed]) => ({
  file: `${workspace}/src/planted-neighbour.ts`,
  rule: `workspace-${workspace}`,
  lower: allowed.map((name) => `${name}/src/planted-entry.ts`),
  refused: Object.keys(WORKSPACES)
    .filter((name) => name !== workspace && !allowed.includes(name))
    .map((name) => `${name}/src/planted-entry.ts`),
}))

const accounts = 'server/src/accounts'
const LOCAL_SERVICES = 'server/src/local-services.ts'
const stripe = 'sandbox/src/stripe'
/** One forbidden import for each of the rules that are written by hand. */
const single: [rule: string, file: string, to: string][] = [
  ['sandbox-base', 'sandbox/src/html.ts', 'sandbox/src/mailbox/planted.ts'],
  ['screens-import-no-screen', 'web/src/screens/planted-screen.ts', 'web/src/screens/planted.ts'],
  ['only-entries-import-routes-and-tasks', `${accounts}/planted-caller.ts`, `${accounts}/planted.routes.ts`],
  ['only-entries-import-routes-and-tasks', `${accounts}/planted-worker.ts`, `${accounts}/planted.task.ts`],
  ['routes-hold-no-sql', `${accounts}/planted.routes.ts`, 'kysely'],
  ['queries-import-only-the-database', `${accounts}/planted.queries.ts`, `${accounts}/planted.task.ts`],
  [
    'only-entries-choose-a-provider',
    'server/src/quotes/prices/planted-asker.ts',
    'server/src/quotes/adapters/finnhub.ts',
  ],
  ['only-mail-smtp-speaks-smtp', `${accounts}/planted-mailer.ts`, 'nodemailer'],
  ['only-stripe-speaks-to-stripe', `${accounts}/planted-payer.ts`, 'stripe'],
  ['only-stripe-speaks-to-stripe', `${accounts}/planted-opener.ts`, 'server/src/stripe/sdk.ts'],
  ['only-local-services-imports-dev', 'server/src/planted-command.ts', 'server/src/dev/planted.ts'],
  ['dev-is-loaded-when-needed', LOCAL_SERVICES, 'server/src/dev/planted.ts'],
  ['product-imports-no-tests', `${accounts}/planted-test-user.ts`, `${accounts}/planted.test.ts`],
  ['product-imports-no-tests', `${stripe}/store/planted-test-user.ts`, `${stripe}/contract/planted.ts`],
  ['only-declared-packages', 'web/src/lib/planted-package.ts', 'pg'],
  ['record-knows-neither-browser-nor-node', 'record/src/planted-hash.ts', 'node:crypto'],
  ...['server/test', 'bench', 'e2e', 'scripts', accounts, 'sandbox/src/mailbox'].map(
    (folder): [string, string, string] => [
      'only-platform-opens-connections',
      `${folder}/planted-connection.ts`,
      'pg',
    ],
  ),
  ['everything-resolves', 'contract/src/planted-lost.ts', 'contract/src/nowhere.ts'],
]

beforeAll(() => {
  copyRepository()
  for (const where of Object.keys(LAYERS)) plant(`${where}/planted-entry.ts`)
  for (const { file, lower, refused } of [...layered, ...workspaces]) plant(file, [...lower, ...refused])
  for (const name of ['planted.routes.ts', 'planted.task.ts', 'planted.test.ts']) plant(`${accounts}/${name}`)
  for (const [, file, to] of single)
    if (existsSync(join(copy, file))) appendFileSync(join(copy, file), `import '${addressed(file, to)}'\n`)
    else plant(file, [to])
  plant('contract/src/planted-a.ts', ['contract/src/planted-b.ts'])
  plant('contract/src/planted-b.ts', ['contract/src/planted-a.ts'])
  plant('contract/src/planted-c.ts', ['contract/src/planted-d.ts'])
  plant('contract/src/planted-d.ts', ['contract/src/planted-c.ts'], 'import type { planted as c } from')
  plant('server/src/mail/planted.ts')
  plant('server/src/mail/letters/planted.ts')
  plant('server/src/receipts/planted.ts', ['server/src/mail/broadcast/planted.ts'])
  plant('web/src/features/charts/planted.ts')
  plant(`${stripe}/contract/planted.ts`)
  plant(`${stripe}/unplaced/planted.ts`)
  plant('contract/src/deep/planted.ts')
  const settings = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { workspaces: string[] }
  writeFileSync(
    join(copy, 'package.json'),
    JSON.stringify({ ...settings, workspaces: [...settings.workspaces, 'mobile'] }),
  )
  faults = findImportFaults(copy)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('a folder imports those of lower layers, and no other: each forbidden pair was planted', () => {
  expect(layered.length).toBeGreaterThan(45)
  const expected = layered.flatMap(({ rule, file, refused }) =>
    refused.map((to) => `${rule}: ${file} imports ${to}`),
  )
  expect(faults.filter((fault) => fault.startsWith('layer-')).sort()).toEqual(expected.sort())
})

test('a workspace imports only those that it may: each forbidden pair was planted', () => {
  const expected = workspaces.flatMap(({ rule, file, refused }) =>
    refused.map((to) => `${rule}: ${file} imports ${to}`),
  )
  expect(faults.filter((fault) => fault.startsWith('workspace-')).sort()).toEqual(expected.sort())
})

test.each(single)('%s refuses the import that was planted in %s', (rule, file) => {
  expect(faults.some((fault) => fault.startsWith(`${rule}: ${file} imports `))).toBe(true)
})

test('every rule has refused something that was planted', () => {
  const silent = RULES.filter(({ name }) => !faults.some((fault) => fault.startsWith(`${name}: `)))
  expect(silent.map(({ name }) => name)).toEqual([])
})

test('folders and a workspace that nobody gave a place are named', () => {
  expect(faults.filter((fault) => fault.startsWith('no-')).sort()).toEqual([
    'no-layer: contract/src/deep',
    'no-layer: package.json/mobile',
    'no-layer: sandbox/src/stripe/unplaced',
    'no-layer: server/src/mail',
    'no-layer: server/src/mail/letters',
    'no-layer: server/src/receipts',
    'no-layer: web/src/features/charts',
  ])
})

test('a circle is found, and one that a type alone closes', () => {
  expect(faults).toContain('circle: contract/src/planted-a.ts contract/src/planted-b.ts')
  expect(faults).toContain('circle-of-types: contract/src/planted-c.ts contract/src/planted-d.ts')
})

test('the diagram of imports has an arrow for each pair of folders, tests left out', () => {
  const at = (to: string) => [{ to, isType: false }]
  const files = new Map([
    ['web/src/screens/a.tsx', [...at('web/src/features/x/b.ts'), ...at('web/src/ui/c.tsx')]],
    ['web/src/screens/d.tsx', [...at('web/src/ui/c.tsx'), ...at('web/src/screens/a.tsx')]],
    ['web/src/features/x/b.test.ts', at('web/src/lib/e.ts')],
    ['web/src/main.tsx', at('web/src/app/f.tsx')],
  ])
  expect(drawImports(files, 'web/src', null)).toEqual([
    'api-docs',
    'app',
    'development',
    'document',
    'lib',
    'parts',
    'screens --> features',
    'screens --> ui',
    'service-worker',
    'verify',
  ])
  expect(drawImports(files, 'web/src', 'ui')).toEqual([
    'api-docs',
    'app',
    'development',
    'document',
    'lib',
    'parts',
    'screens --> features',
    'service-worker',
    'verify',
  ])
})
