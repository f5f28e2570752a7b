import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../server/src/dev/free-port.ts'
import { type DebianRoot, makeDebianRoot } from './debian-root.ts'
import { startGreylist } from './greylist.ts'
import { OUTPUT_LOG, type RealServer } from './real-server.ts'
import { configureExim, configureOpenSmtpd, configurePostfix, type RelayPorts } from './relay-settings.ts'

/** A mail server as Debian ships it, which delivers everything into one Maildir. */
export type Relay = AsyncDisposable & {
  readonly root: DebianRoot
  readonly url: string
  /** Where the mails are. */
  readonly maildir: string
  /** Its own words, in the folder. */
  readonly log: string
  /** A line of its log for each connection. */
  readonly connected: RegExp
  /** Each feature that it lacks, with the reason in words; null where it has it. */
  readonly without: { tls: string | null; greylist: string | null; reload: string | null }
  /** The most that a session, or a while, may bring. */
  readonly limit: string
  readonly server: RealServer
  /** Recipients that are deferred once as soon as `greylist` is called. */
  readonly greylisted: string
  greylist(): void
  startAgain(): Promise<void>
}

type Plan = {
  packages: string[]
  people: string[]
  /** Writes its files. @returns the command that starts it */
  configure(root: DebianRoot, ports: RelayPorts): Promise<string[]>
} & Pick<Relay, 'connected' | 'greylisted' | 'limit' | 'log' | 'maildir' | 'without'>

const CAN = { tls: null, greylist: null, reload: null }

export const RELAYS: Record<'exim' | 'opensmtpd' | 'postfix', Plan> = {
  postfix: {
    packages: ['postfix'],
    people: ['postfix', 'postdrop'],
    greylisted: 'one in ten',
    connected: / postfix\/smtpd\[\d+\]: connect from /,
    limit: '200 mails in 5 s of one client (smtpd_client_message_rate_limit)',
    log: 'var/log/postfix.log',
    maildir: 'mail/all',
    without: CAN,
    configure: configurePostfix,
  },
  exim: {
    packages: ['exim4-daemon-light'],
    people: ['Debian-exim'],
    greylisted: 'everybody',
    connected: / SMTP connection from .*(TCP\/IP connection count|\(TCP)/,
    limit: '10 mails a connection, then 421 (smtp_accept_max_per_connection)',
    log: 'var/log/exim4/mainlog',
    maildir: 'mail/all',
    without: CAN,
    configure: configureExim,
  },
  opensmtpd: {
    packages: ['opensmtpd'],
    people: ['opensmtpd', 'opensmtpq'],
    greylisted: 'nobody',
    connected: / smtp connected /,
    limit: '10 mails a session, then 452 without hanging up (smtp limit max-mails)',
    log: OUTPUT_LOG,
    maildir: 'mail/all',
    without: {
      // github.com/OpenSMTPD/OpenSMTPD/issues/1239
      tls: 'the version of Debian 12 fails every handshake with its OpenSSL 3',
      greylist: 'it has none of its own',
      reload: 'it knows no reload',
    },
    configure: configureOpenSmtpd,
  },
}

export async function startRelay(name: keyof typeof RELAYS): Promise<Relay> {
  const plan = RELAYS[name]
  const root = await makeDebianRoot(name, plan.packages, plan.people)
  const smtp = await freePort()
  const policy = await freePort([smtp])
  const greylist = startGreylist(policy)
  try {
    const command = await plan.configure(root, { smtp, policy })
    let server = await root.start(command, smtp)
    const { connected, greylisted, limit, log, maildir, without } = plan
    return {
      connected,
      greylisted,
      limit,
      log: join(root.folder, log),
      maildir: join(root.folder, maildir, 'new'),
      root,
      url: `smtp://127.0.0.1:${smtp}?${without.tls === null ? 'requireTLS' : 'ignoreTLS'}=true`,
      without,
      get server() {
        return server
      },
      greylist() {
        greylist.on = true
        writeFileSync(join(root.folder, 'run/greylist'), '')
      },
      async startAgain() {
        server = await root.start(command, smtp)
      },
      async [Symbol.asyncDispose]() {
        greylist.server.close()
        await root[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    greylist.server.close()
    await root[Symbol.asyncDispose]()
    throw error
  }
}
