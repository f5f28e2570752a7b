/**
 * `npm run operator -- <command>`: the operator's commands on the running database. Without a command it lists them.
 */
import { existsSync } from 'node:fs'
import { findPerson } from './accounts/find-person.ts'
import { removeAbout } from './accounts/remove-about.ts'
import { restorePerson, suspendPerson } from './accounts/suspend-person.ts'
import { readAudit } from './auth/audit/read-audit.ts'
import { removeLostFactors } from './auth/factors/remove-lost-factors.ts'
import { resealSecrets } from './auth/keys/reseal-secrets.ts'
import { rotateSigningKeys } from './auth/keys/rotate-signing-keys.ts'
import { makeSecretKey, type SecretKey } from './auth/keys/secret-key.ts'
import type { Tools } from './backup/postgres-tools.ts'
import { restoreBackup } from './backup/restore-backup.ts'
import { takeBackup, takeBaseBackup } from './backup/take-backup.ts'
import { giveUpDebt, readDebts, retryDebts } from './billing/debts/read-debts.ts'
import { readWarnings, returnForOperator } from './billing/warnings/return-warned.ts'
import { readStuckEvents } from './billing/webhooks/read-stuck-events.ts'
import { closeForPerson, eraseForOperator } from './closing/close-for-person.ts'
import { readParkedEvents, retryParkedEvents } from './events/read-parked-events.ts'
import { exportPerson } from './exports/links/export-person.ts'
import { readFeedback } from './feedback/read-feedback.ts'
import { findDatabase } from './local-services.ts'
import { mailRetraction } from './mail/notices/mail-retraction.ts'
import { liftSuppression, readSuppressions } from './mail/refusals/suppressions.ts'
import { readReports } from './mail/reports/read-reports.ts'
import { fillCloses } from './marks/fill-closes.ts'
import { readStatus, type Status } from './monitoring/read-status.ts'
import { clockOf } from './platform/clock.ts'
import type { Queryable } from './platform/database/queryable.ts'
import { connectRunningDatabase } from './platform/database/running-database.ts'
import { applyLayout } from './platform/distribution/distributed-tables.ts'
import { authSecret, type Env, readEnv } from './platform/env.ts'
import { makeLog } from './platform/log.ts'
import { makeSettings } from './platform/make-settings.ts'
import { adjustForSplit, closeDelisted } from './positions/correct/adjust-positions.ts'
import { correctPrice } from './positions/correct/correct-price.ts'
import { renameSymbol } from './positions/correct/rename-symbol.ts'
import { notifyRetracted, retractPrices } from './positions/correct/retract-prices.ts'
import { strikePosition } from './positions/correct/strike-position.ts'
import { recountStatistics } from './positions/record/recount-statistics.ts'
import { chooseProvider } from './quotes/adapters/choose-provider.ts'
import { acceptPrice } from './quotes/prices/accept-price.ts'
import { makeRecordLog } from './record/record-log.ts'
import { describeRecord, resumeRecord, rotateLogKey } from './record/tend-record.ts'
import { readPerson } from './support/read-person.ts'

/** `tools` lead to the same database as `db`. */
type Deps = { db: Queryable; tools: Tools; secret: () => SecretKey; env: Env; now: Date }

type Command = {
  does: string
  /** @param argument what was typed behind the command, null for nothing; `more` what was typed behind that */
  run(deps: Deps, argument: string | null, ...more: string[]): Promise<string | Status>
}

const commands: Record<string, Command> = {
  status: {
    does: 'says how the product stands; ends with 1 when something needs a look, and says what',
    run: ({ db, env, now }) => readStatus(db, env, now),
  },
  'statistics:recount': {
    does: "counts every trader's statistics again from their positions, and mends what is wrong",
    run: async ({ db }) => `Counted again; ${await recountStatistics(db)} traders' statistics were wrong.`,
  },
  'positions:adjust': {
    does: 'with `split SYMBOL 10:1 2026-11-18`, `delisted SYMBOL 12.50`, or `price`, a position, `open` or `close`, a price and a reason: sets positions right',
    async run({ db, now, secret }, what, symbol = '', of = '', day = '', ...reason) {
      if (what === 'price') {
        const given = { id: symbol, end: of, price: day, reason: reason.join(' ') }
        const isNew = await correctPrice({ db, secret: secret() }, given, now)
        return isNew ? 'Adjusted.' : 'That is its price already.'
      }
      if (what === 'split')
        return `Adjusted ${await adjustForSplit(db, { symbol, ratio: of, day }, now)} positions.`
      if (what !== 'delisted') throw new Error('Say `split`, `delisted` or `price`.')
      const { closed, settled, tooNew } = await closeDelisted(db, { symbol, price: of }, now)
      const done = `Closed ${closed} positions; ${tooNew} were opened today and can be closed tomorrow.`
      return settled === 0 ? done : `${done} Settled ${settled} closes.`
    },
  },
  'symbols:rename': {
    does: 'with a ticker, its new one and the first day under that, as 2026-11-18: positions of before go on under the new one',
    run: ({ db, now, secret }, from, to = '', day = '') =>
      renameSymbol({ db, secret: secret() }, { from: from ?? '', to, day }, now),
  },
  'positions:strike': {
    does: 'with a position and a reason: it counts nowhere from then on, and stays in lists as struck; mailed to followers',
    async run({ db, now, secret }, id, ...reason) {
      const struck = { id: id ?? '', reason: reason.join(' ') }
      const isNew = await strikePosition({ db, secret: secret() }, struck, now)
      return isNew ? 'Struck.' : 'Is struck already.'
    },
  },
  'prices:retract': {
    does: 'with a ticker, two instants such as 2026-11-18T14:02:00Z and a reason: takes back what was recorded between; one mail a reader',
    async run({ db, env, now, secret }, symbol, from = '', to = '', ...reason) {
      const provider = chooseProvider(makeSettings(env), clockOf(env))
      const given = { symbol: symbol ?? '', from, to, reason: reason.join(' ') }
      const retracted = await retractPrices({ db, secret: secret(), provider }, given, now)
      return notifyRetracted(retracted, await mailRetraction(db, retracted.id, now))
    },
  },
  'prices:accept': {
    does: 'with a ticker whose price looks wrong: it is right',
    async run({ db, now, secret }, symbol) {
      const price = await acceptPrice({ db, secret: secret() }, given(symbol, 'a ticker'), now)
      return price === null ? 'No price of it looks wrong.' : `Accepted ${price}.`
    },
  },
  'prices:fill': {
    does: 'asks a price provider that has a past for the closes that are missing in it',
    run({ db, env, now }) {
      const { indexSymbol, marksPerMinute, quotes } = makeSettings(env)
      const clock = clockOf(env)
      const provider = chooseProvider({ quotes }, clock)
      return fillCloses({ db, provider, clock, perMinute: marksPerMinute, indexSymbol }, now)
    },
  },
  record: {
    does: 'says how the record stands; with `rotate` a new key signs a day from now, with `resume` it goes on behind a restored backup',
    async run({ db, env, now, secret }, what) {
      const settings = makeSettings(env)
      if (what === null) return describeRecord(db, settings)
      if (what === 'resume') return resumeRecord(db, settings.record.dir, now)
      if (what !== 'rotate') throw new Error('Say `rotate`, `resume` or nothing.')
      const log = makeLog('warn', true)
      const record = makeRecordLog({ db, clock: clockOf(env), log, secret: secret(), settings })
      const signsFrom = await rotateLogKey({ db, record, secret: secret() }, now)
      return `A new key signs the record from ${signsFrom.toISOString()} on.`
    },
  },
  backup: {
    does: 'with the name of a new file: backs the whole database up into it, while the product runs',
    run: (deps, file) => takeBackup(deps, given(file, 'the name of a new file'), deps.now),
  },
  'backup:base': {
    does: 'with the name of a new folder: copies the whole server, from where its archived log leads on',
    run: (deps, folder) => takeBaseBackup(deps, given(folder, 'the name of a new folder'), deps.now),
  },
  'backup:restore': {
    does: 'with a file of `backup`: restores it into an empty database, on which nothing starts before `backup:settle`',
    run: ({ tools, now }, file) => restoreBackup(tools, given(file, 'the file of a backup'), now),
  },
  'backup:settle': {
    does: 'after a restore: Stripe, sessions, mails that waited; `sent` if those went out, `to` and a moment if PostgreSQL recovered to it',
    async run({ tools, env, now }, ...words) {
      // The client of Stripe takes a fifth of the start of a command, and no other one needs it.
      const { settleDatabase } = await import('./backup/settle-restore.ts')
      return settleDatabase({ databaseUrl: tools.databaseUrl, settings: makeSettings(env) }, words, now)
    },
  },
  'layout:apply': {
    does: 'on Citus: spreads what traders publish over the nodes, after every upgrade; elsewhere it changes nothing',
    async run({ tools }) {
      const layout = await applyLayout(tools.databaseUrl)
      if (layout === 'no extension')
        return 'This is one PostgreSQL without Citus; every table is where it belongs.'
      const { keysDropped, moved } = layout
      if (moved.length === 0) return 'Every table is where it belongs.'
      return `Moved ${moved.join(', ')}; dropped ${keysDropped.length} foreign keys between nodes.`
    },
  },
  'keys:rotate': {
    does: 'publishes a new signing key, which takes over in twenty minutes; nobody is signed out',
    async run({ db, secret, now }) {
      const { signsFrom, isNew } = await rotateSigningKeys({ db, secret: secret() }, now)
      const when = signsFrom.toISOString()
      return isNew
        ? `Published a new key; it signs from ${when}.`
        : `A new key is already published; it signs from ${when}.`
    },
  },
  'secrets:reseal': {
    does: 'seals under the newest AUTH_SECRET what earlier ones of the list sealed',
    async run({ db, secret }) {
      const { resealed, unopened } = await resealSecrets(db, secret())
      return `Sealed ${resealed} again; ${unopened} are under a secret that is not in AUTH_SECRET.`
    },
  },
  'factors:remove': {
    does: 'with the mail address of somebody who lost their authenticator: the mailed code is enough again',
    async run({ db, secret, now }, address) {
      return `Removed ${await removeLostFactors({ db, secret: secret() }, address, now)}.`
    },
  },
  suppressions: {
    does: 'lists who is not mailed any more; with `lift` and a mail address, or `lift all`, mails them again',
    async run({ db, secret, now }, what, whom = '') {
      if (what === null) return readSuppressions(db)
      if (what !== 'lift') throw new Error('Say `lift` and a mail address, or `lift all`.')
      return `Lifted ${await liftSuppression({ db, secret: secret() }, whom, now)}.`
    },
  },
  reports: {
    does: 'lists what came back of mails within seven days, by kind and domain: bounces and complaints',
    run: ({ db, now }) => readReports(db, now),
  },
  suspend: {
    does: 'with a mail address or username and a reason: no use of the account, nobody charged; mailed to the person',
    async run({ db, secret, now }, who, ...reason) {
      const isNew = await suspendPerson({ db, secret: secret() }, who ?? '', reason.join(' '), now)
      return isNew ? 'Suspended.' : 'Is suspended already.'
    },
  },
  restore: {
    does: 'with a mail address or username and a reason: ends a suspension',
    async run({ db, secret, now }, who, ...reason) {
      const was = await restorePerson({ db, secret: secret() }, who ?? '', reason.join(' '), now)
      return was ? 'Restored.' : 'Is not suspended.'
    },
  },
  close: {
    does: 'with a mail address or username and a reason: closes the account as its person would; fourteen days to give it back',
    async run({ db, secret, now }, who, ...reason) {
      const eraseAt = await closeForPerson({ db, secret: secret() }, who ?? '', reason.join(' '), now)
      return eraseAt ? `Closed; erased on ${eraseAt.toISOString()}.` : 'Is closed already.'
    },
  },
  erase: {
    does: 'with a mail address or username and a reason: closes the account where it is open, and erases the person within the hour',
    async run({ db, secret, now }, who, ...reason) {
      await eraseForOperator({ db, secret: secret() }, who ?? '', reason.join(' '), now)
      return 'A worker erases them now; their last mail goes first.'
    },
  },
  person: {
    does: 'with a mail address or username: one page of what is known about somebody; the reading stands in the audit log',
    run: ({ db, now, secret }, who) =>
      readPerson({ db, secret: secret() }, given(who, 'a mail address or username'), now),
  },
  'about:remove': {
    does: 'with a mail address or username and a reason: takes their words about themselves off their profile; mailed to the person',
    async run({ db, secret, now }, who, ...reason) {
      const had = await removeAbout({ db, secret: secret() }, who ?? '', reason.join(' '), now)
      return had ? 'Removed.' : 'Says nothing about themselves.'
    },
  },
  export: {
    does: 'with a mail address or username, the name of a new file and a reason: writes everything that is kept about the person into it',
    async run({ db, env, now, secret }, who, file = '', ...reason) {
      const userId = await findPerson(db, given(who, 'a mail address or username'))
      const { priceRights: rights, record: witnessing } = makeSettings(env)
      const deps = { db, secret: secret(), witnessing, rights }
      const of = { userId, file: given(file, 'the name of a new file'), reason: reason.join(' ') }
      return `Wrote ${await exportPerson(deps, of, now)} bytes.`
    },
  },
  debts: {
    does: 'lists what is owed at Stripe; `retry` and an id or `all` tries at once, `drop` with id and reason gives up',
    async run({ db, now }, what, which = '', ...reason) {
      if (what === 'retry') return `Trying ${await retryDebts(db, which, now)} again within half a minute.`
      if (what === 'drop') return `Dropped ${await giveUpDebt(db, which, reason.join(' '), now)}.`
      if (what !== null) throw new Error('Say `retry` or `drop`, or nothing.')
      const lines = [...(await readDebts(db)), ...(await readStuckEvents(db))]
      return lines.length > 0 ? lines.join('\n') : 'Nothing is owed.'
    },
  },
  disputes: {
    does: 'lists disputes that wait for an answer; `show` and an id prints the evidence with its receipts, `send` and an id sends the draft',
    async run({ db, env }, what, id = '') {
      const { tendDisputes } = await import('./disputes/tend-disputes.ts')
      return tendDisputes({ db, settings: makeSettings(env) }, what, id)
    },
  },
  'refund-warning': {
    does: 'lists payments that their card networks warned of as fraud and that are still here; with a charge, returns it whole and ends its subscription',
    async run({ db, now }, charge) {
      if (charge !== null) return returnForOperator(db, charge, now)
      const lines = await readWarnings(db)
      return lines.length > 0 ? lines.join('\n') : 'No warning is open.'
    },
  },
  events: {
    does: 'lists events that a reader gave up; `retry` and the name of the reader tries them again',
    async run({ db }, what, reader = '') {
      if (what === 'retry') return `Trying ${await retryParkedEvents(db, reader)} events again.`
      if (what !== null) throw new Error('Say `retry` and a reader, or nothing.')
      const lines = await readParkedEvents(db)
      return lines.length > 0 ? lines.join('\n') : 'No event was given up.'
    },
  },
  feedback: {
    does: 'lists the feedback, newest first; with the id of an entry, what is older',
    run: ({ db }, olderThan) => readFeedback(db, olderThan),
  },
  audit: {
    does: 'lists who did what and from where, newest first; with a mail address, of that person',
    async run({ db, secret }, address) {
      const lines = await readAudit({ db, secret: secret() }, address)
      return lines.length > 0 ? lines.join('\n') : 'Nothing.'
    },
  },
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const command = commands[process.argv[2] ?? '']
  if (!command) throw new Error(`Say what to do:\n${usage()}`)
  const env = readEnv(process.env)
  const clock = clockOf(env)
  const databaseUrl = await findDatabase(env)
  const { db, close } = connectRunningDatabase(databaseUrl)
  try {
    const tools = { folder: env.PG_BIN ?? null, databaseUrl: databaseUrl ?? '' }
    const deps = { db, tools, secret: () => makeSecretKey(authSecret(env)), env, now: clock.now() }
    const [argument, ...more] = process.argv.slice(3)
    const output = await command.run(deps, argument ?? null, ...more)
    process.stdout.write(`${typeof output === 'string' ? output : output.text}\n`)
    if (typeof output !== 'string' && !output.isWell) process.exitCode = 1
  } finally {
    await close()
  }
}

/** @throws when nothing was typed */
function given(argument: string | null, what: string): string {
  if (!argument) throw new Error(`Say ${what}.`)
  return argument
}

function usage(): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length)) + 2
  return Object.entries(commands)
    .map(([name, { does }]) => `  ${name.padEnd(width)}${does}`)
    .join('\n')
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
