import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database/database.ts'
import { makeCrowdTrader } from '../../../test/followers.ts'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { copyProduct } from '../../../test/processes/product-copy.ts'
import { startWorkerProcess } from '../../../test/processes/worker-process.ts'
import { systemClock } from '../../platform/clock.ts'

/** Its file in emails/src: an example, to a trader who has opened their first position. */
const FILE = `import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineLetter, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { traderUrl } from './links.ts'

export const firstPosition = defineLetter({
  category: 'positions',
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
import { connectDatabase } from './platform/database/database.ts'
import { withTransaction } from './platform/database/queryable.ts'
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

test('a new mail takes a file, a line in the registry and a call, and no migration', async () => {
  using copy = copyProduct()
  copy.add('emails/src/first-position.ts', FILE)
  const registry = 'emails/src/render.tsx'
  copy.edit(registry, '  sign_in: signIn,', `  sign_in: signIn,\n${LINE}`)
  copy.edit(registry, 'import { feedback }', `${IMPORT}\nimport { feedback }`)
  copy.add('server/src/queue-first-position.ts', CALL)
  copy.run('scripts/build-emails.ts')

  await using database = await openTestDatabase()
  const { traderId } = await makeCrowdTrader(database.pool, 'maria', systemClock.now())
  // A cause is mailed once, so the second call changes nothing.
  for (let call = 0; call < 2; call += 1)
    copy.run('server/src/queue-first-position.ts', database.url, traderId)
  const sink = await startCountingSink()
  const worker = await startWorkerProcess({
    databaseUrl: database.url,
    smtpUrl: sink.url,
    connections: 1,
    main: copy.main,
  })
  await sink.until(() => sink.total() === 1)
  expect(await worker.stop()).toBe(0)
  await sink.close()
  expect(Object.fromEntries(sink.byRecipient)).toEqual({ 'maria@traders.example': 1 })
  expect(sink.kept[0]?.raw).toContain('Subject: Your first position on Tradepost: ORCL')
})
