import type { FastifyInstance } from 'fastify'
import type { Clock } from './clock.ts'

/** The parameters of every part: the sandbox's clock and where it may listen beside HTTP. */
type Surroundings = {
  clock: Clock
  host: string
  smtpPort: number
  /** Where state is kept that outlives the process; null keeps it in memory. */
  dataDir: string | null
}

/** How the index page presents a part. */
export type PartCard = { title: string; summary: string; links: { href: string; text: string }[] }

/**
 * A piece of the outside world: it puts its own routes on the shared HTTP server, and whatever else it opens it closes
 * in an `onClose` hook there. It answers the card of the index page and, if it listens for SMTP or IMAP, on which ports.
 */
export type Part = (
  app: FastifyInstance,
  surroundings: Surroundings,
) => Promise<{ card: PartCard; smtpPort?: number; imapPort?: number }>
