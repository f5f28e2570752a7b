import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startCountingSink } from '../../../test/counting-sink.ts'
import { openTestDatabase } from '../../../test/database.ts'
import { makeCrowdTrader } from '../../../test/followers.ts'
import { startWorkerProcess } from '../../../test/worker-process.ts'
import { systemClock } from '../../platform/clock.ts'

const root = join(import.meta.dirname, '../../../..')
const copy = mkdtempSync(join(tmpdir(), 'tradepost-mail-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Its file in emails/src: an example, to a trader who has opened their first position. */
const FILE = `import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineLetter, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { traderUrl } from './links.ts'

export const firstPosition = defineLetter({
  facts: z.object({ ...trader, symbol: z.string() }),
  letter: (props) => ({
    subject: \`Your first position on \${BRAND}: \${props.symbol}\`,
    paragraphs: [\`\${props.symbol} is on your profile from now on.\`],
    action: { label: \`View @\${props.trader}\`, url: traderUrl(props) },
    because: OF_TRADER,
  }),
  samples: { 'first-position': { ...SAMPLE_TRADER, symbol: 'ORCL' } },
})
`

/** Its line in the registry, with the import of the file. */
const LINE = '  first_position: firstPosition,'
const IMPORT = "import { firstPosition } from './first-position.ts'"

/** The call, in a script that is given a database and the id of a person. */
const CALL = `import { queueMail } from './mail/outbox/queue-mail.ts'
import { connectDatabase, withTransaction } from './platform/database.ts'
import { makeLog } from './platform/log.ts'

const [url = '', userId = ''] = process.argv.slice(2)
const { db, close } = connectDatabase({ url, size: 1, log: makeLog('error', false) })
await withTransaction(db, (tx) =>
  queueMail(
    tx,
    { kind: 'first_position', userId, cause: 'first', facts: { trader: 'maria', symbol: 'ORCL' } },
    new Date(),
  ),
)
await close()
`

/** The sources of the server and of what it imports, beside the repository's libraries. */
function copyRepository(): void {
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  mkdirSync(join(copy, 'node_modules/@tradepost'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@tradepost') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const workspace of ['contract', 'emails', 'server']) {
    for (const part of ['package.json', 'src'])
      cpSync(join(root, workspace, part), join(copy, workspace, part), { recursive: true })
    symlinkSync(join(copy, workspace), join(copy, 'node_modules/@tradepost', workspace))
  }
  cpSync(join(root, 'server/migrations'), join(copy, 'server/migrations'), { recursive: true })
  mkdirSync(join(copy, 'scripts'))
  mkdirSync(join(copy, 'emails/dist'))
  cpSync(join(root, 'scripts/build-emails.ts'), join(copy, 'scripts/build-emails.ts'))
}

function edit(file: string, before: string, after: string): void {
  const text = readFileSync(join(copy, file), 'utf8')
  expect(text).toContain(before)
  writeFileSync(join(copy, file), text.replace(before, after))
}

const run = (...script: string[]) => execFileSync(process.execPath, script, { cwd: copy, encoding: 'utf8' })

test('a new mail takes a file, a line in the registry and a call, and no migration', async () => {
  copyRepository()
  writeFileSync(join(copy, 'emails/src/first-position.ts'), FILE)
  const registry = 'emails/src/render.tsx'
  edit(registry, '  sign_in: signIn,', `  sign_in: signIn,\n${LINE}`)
  edit(registry, 'import { feedback }', `${IMPORT}\nimport { feedback }`)
  writeFileSync(join(copy, 'server/src/queue-first-position.ts'), CALL)
  run('scripts/build-emails.ts')

  await using database = await openTestDatabase()
  const { traderId } = await makeCrowdTrader(database.pool, 'maria', systemClock.now())
  // A cause is mailed once, so the second call changes nothing.
  for (let call = 0; call < 2; call += 1) run('server/src/queue-first-position.ts', database.url, traderId)
  const sink = await startCountingSink()
  const main = join(copy, 'server/src/main.ts')
  const worker = await startWorkerProcess({
    databaseUrl: database.url,
    smtpUrl: sink.url,
    connections: 1,
    main,
  })
  await sink.until(() => sink.total() === 1)
  expect(await worker.stop()).toBe(0)
  await sink.close()
  expect(Object.fromEntries(sink.byRecipient)).toEqual({ 'maria@traders.example': 1 })
  expect(sink.kept[0]?.raw).toContain('Subject: Your first position on Tradepost: ORCL')
})
