import type { AddressInfo } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import { makeClock } from './clock.ts'
import { html } from './html.ts'
import { startMailbox } from './mailbox/mailbox.ts'
import { startMarket } from './market/market.ts'
import { type Page, sendPage } from './page.ts'
import type { Part, PartCard } from './part.ts'
import { startPayments } from './stripe/part.ts'

/** Every part by the name that SANDBOX_PARTS gives it; a new part is one more line here. */
const PARTS = { mail: startMailbox, market: startMarket, stripe: startPayments } satisfies Record<
  string,
  Part
>

export type PartName = keyof typeof PARTS

export const PART_NAMES = Object.keys(PARTS) as PartName[]

export type SandboxOptions = {
  /** A loopback address: the sandbox hands sign-in codes to anyone who asks. */
  host: string
  /** 0: any free port. */
  port: number
  smtpPort: number
  parts: PartName[]
  clockFile: string | null
  /** Where state is kept that outlives the process; null keeps it in memory. */
  dataDir: string | null
}

export type Sandbox = {
  url: string
  /** null while the mailbox does not run. */
  smtpPort: number | null
  /** Always a free one: what comes back of mails is read there. */
  imapPort: number | null
  close(): Promise<void>
}

const DEFAULTS: SandboxOptions = {
  host: '127.0.0.1',
  port: 0,
  smtpPort: 0,
  parts: PART_NAMES,
  clockFile: null,
  dataDir: null,
}

/**
 * Starts the chosen parts behind one HTTP server; without options, all of them on free ports.
 * @throws when a port is taken, after closing what was already open
 */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const { host, port, smtpPort, parts, clockFile, dataDir } = { ...DEFAULTS, ...options }
  const app = fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 })
  app.addHook('onRequest', guard)
  // Before the parts: what they serve takes it over from here.
  answerFailures(app)
  const cards: PartCard[] = []
  let smtp: number | null = null
  let imap: number | null = null
  try {
    for (const name of parts) {
      const started = await PARTS[name](app, { clock: makeClock(clockFile), host, smtpPort, dataDir })
      cards.push(started.card)
      smtp = started.smtpPort ?? smtp
      imap = started.imapPort ?? imap
    }
    app.get('/', (_request, reply) => sendPage(reply, indexPage(cards)))
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw error
  }
  const { port: bound } = app.server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${bound}`, smtpPort: smtp, imapPort: imap, close: () => app.close() }
}

/**
 * Refuses host names other than this machine's own, so that no website can read the mailbox by pointing its own name
 * at this machine (DNS rebinding). Also sets the headers of every answer.
 */
async function guard(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  reply.header('cache-control', 'no-store')
  reply.header('referrer-policy', 'no-referrer')
  reply.header('x-content-type-options', 'nosniff')
  const name = request.hostname.toLowerCase()
  if (/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(name)) return undefined
  return reply.code(421).send({ error: 'The sandbox answers to this machine only.' })
}

function answerFailures(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return reply.code(404).send({ error: 'Not found.' })
    return sendPage(reply, {
      title: 'Not found',
      status: 404,
      crumbs: [{ href: '/', text: 'Sandbox' }],
      body: html`<p>There is nothing at this address. <a href="/">See what there is.</a></p>`,
    })
  })
  app.setErrorHandler((error: FastifyError, { method, routeOptions }, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) console.error(`The sandbox failed at ${method} ${routeOptions.url}:`, error)
    return reply.code(status).send({ error: status < 500 ? error.message : 'The sandbox failed.' })
  })
}

/** The front page: which parts run here, and where they answer. */
function indexPage(cards: PartCard[]): Page {
  const parts = cards.map(
    ({ title, summary, links }) => html`<li class="card">
<h2>${title}</h2>
<p>${summary}</p>
<ul class="links">${links.map(({ href, text }) => html`<li><a class="tall" href="${href}">${text}</a></li>`)}</ul>
</li>`,
  )
  return {
    title: 'Sandbox',
    crumbs: [],
    body: html`<p>The outside world in small. Each part stands in for a service that is not configured and speaks that
service's own language, so that everything can be tried without an account anywhere.</p>
<ul class="parts">${parts}</ul>`,
  }
}
