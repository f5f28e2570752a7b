import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../server/src/dev/free-port.ts'
import { returnPathsOf } from '../../server/src/mail/event-mails/return-paths-of.ts'
import { mailTag, type ReturnPaths } from '../../server/src/platform/return-path.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { BOUNCES, bounce } from '../../server/test/mails/mail-reports.ts'
import { type DebianRoot, MAIL_OWNER, makeDebianRoot } from './debian-root.ts'
import { print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import type { RealServer } from './real-server.ts'

const MESSAGES = Number(process.env.REAL_BOUNCES ?? 5000)
/** One in so many is the bounce of a mail of ours; the others are held against nobody. */
const BOUNCE_EVERY = 5
const RESTARTS = 4
/** Of the messages that one reading may handle, after how many the server is restarted. */
const INTO_A_READING = 60
const LIMIT_MS = 600_000
const NEXT_READING_MS = 61_000

/** A mailbox that nobody has read for long, two workers, and its server restarted while one of them reads. */
export async function bouncesRead(): Promise<void> {
  await using root = await makeDebianRoot('dovecot', ['dovecot-imapd'], ['dovecot', 'dovenull'])
  const port = await freePort()
  const start = await settleDovecot(root, port)
  let server = await start()
  const again = async () => {
    await server.stop()
    server = await start()
  }
  await inScenario((scenario) => readAll(scenario, { again, port, root }), { followers: 1000 })
}

async function settleDovecot(root: DebianRoot, port: number): Promise<() => Promise<RealServer>> {
  await root.makeFolder('/run/dovecot')
  await root.write(
    '/etc/dovecot.conf',
    `protocols = imap
base_dir = /run/dovecot
log_path = /var/log/dovecot.log
listen = 127.0.0.1
ssl = required
ssl_cert = </etc/tls/server.pem
ssl_key = </etc/tls/server.key
mail_location = maildir:/mail/bounces
first_valid_uid = 100
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${MAIL_OWNER} gid=${MAIL_OWNER} home=/mail
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
service anvil {
  chroot =
}
`,
  )
  return () => root.start(['/usr/sbin/dovecot', '-F', '-c', '/etc/dovecot.conf'], port)
}

type Mailbox = { root: DebianRoot; port: number; again(): Promise<void> }

async function readAll(scenario: Scenario, { again, port, root }: Mailbox): Promise<void> {
  await fill(root, await readersOf(scenario))
  const folder = join(root.folder, 'mail/bounces')
  const imap = `imaps://bounces:secret@127.0.0.1:${port}/INBOX`
  const options = {
    bounceAddress: BOUNCES,
    bounceImapUrl: imap,
    front: { url: scenario.sink.url, trusted: [root.authority] },
  }
  const began = performance.now()
  const workers = [await scenario.startWorker(options), await scenario.startWorker(options)]
  let restarts = 0
  let atLast = 0
  let clock = 0
  let turn = await lastTurn(scenario)
  let cutOff = 0
  for (let seen = 0; seen < MESSAGES; seen = countSeen(folder)) {
    assert.ok(performance.now() - began < LIMIT_MS, `${seen} of ${MESSAGES} were read in time`)
    if (restarts < RESTARTS && seen - atLast >= INTO_A_READING + 200) {
      await again()
      restarts += 1
      atLast = seen
    }
    const ended = await lastTurn(scenario)
    if (ended.readAt !== turn.readAt || ended.failures !== turn.failures) {
      if (ended.failures > turn.failures) cutOff += 1
      turn = ended
      clock += NEXT_READING_MS
      writeFileSync(scenario.clockFile, String(clock))
    }
    await pause(100)
  }
  const bounces = Math.ceil(MESSAGES / BOUNCE_EVERY)
  const kept = await scenario.ask('select count(*) from mail_reports')
  const others = await scenario.ask('select sum(count) from unread_reports')
  print({
    'messages in the mailbox': MESSAGES,
    'restarts while it was read': restarts,
    'readings that were cut off': cutOff,
    'bounces recorded': kept,
    'others counted': others,
    'read twice': others - (MESSAGES - bounces),
    's in all': Math.round((performance.now() - began) / 1000),
    'minutes of the product': Math.round(clock / 60_000),
  })
  assert.equal(restarts, RESTARTS)
  assert.ok(cutOff > 0, 'no reading was cut off')
  assert.equal(kept, bounces)
  // The one that was handled when its server went, and not flagged yet, comes again.
  assert.ok(others >= MESSAGES - bounces && others <= MESSAGES - bounces + restarts)
  for (const worker of workers) assert.equal(await worker.stop(), 0)
}

async function readersOf(scenario: Scenario): Promise<string[]> {
  const { rows } = await scenario.database.pool.query<{ id: string }>('select id from users order by id')
  return rows.map(({ id }) => id)
}

/** Bounces of a mail to each reader in turn, between messages that are none, by file name in the order in which they came. */
async function fill(root: DebianRoot, readers: string[]): Promise<void> {
  const paths = returnPaths()
  for (const folder of ['cur', 'new', 'tmp'])
    await root.makeFolder(`/mail/bounces/${folder}`, { owner: MAIL_OWNER, mode: '700' })
  await root.makeFolder('/mail/bounces', { owner: MAIL_OWNER, mode: '700' })
  for (let index = 0; index < MESSAGES; index += 1) {
    const readerId = readers[index % readers.length] ?? ''
    const to = paths.of({ topic: 'positions', readerId, tag: mailTag(`mail ${index}`) })
    const message = index % BOUNCE_EVERY === 0 ? bounce(to) : AWAY
    const name = `mail/bounces/new/${1_700_000_000 + index}.M${index}.old`
    writeFileSync(join(root.folder, name), message, { mode: 0o666 })
  }
}

const AWAY = [
  'From: ann@people.example',
  `To: <${BOUNCES}>`,
  'Subject: I am away',
  '',
  'Until Monday.',
  '',
].join('\r\n')

function returnPaths(): ReturnPaths {
  const reports = { address: BOUNCES, mailboxUrl: null, readEveryMs: 60_000, mailgunKey: null }
  const paths = returnPathsOf(testSettings({ reports }))
  if (!paths) throw new Error('no return paths')
  return paths
}

/** Dovecot renames what was flagged: `…:2,S`. */
function countSeen(folder: string): number {
  return readdirSync(join(folder, 'cur')).filter((name) => /:2,[A-RT-Z]*S/.test(name)).length
}

/** Changes with the end of each reading, one that failed included. */
async function lastTurn({ database }: Scenario): Promise<{ readAt: string | null; failures: number }> {
  const { rows } = await database.pool.query<{ readAt: string | null; failures: number }>(
    'select read_at::text as "readAt", failures from report_mailbox',
  )
  return rows[0] ?? { readAt: null, failures: 0 }
}
