import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** The mails of a Maildir. */
export type Held = {
  /** Mails by Message-ID. */
  byMessageId: Map<string, number>
  /** Mails, once each, by recipient. */
  byRecipient: Map<string, number>
  repeated: number
}

/** Headers of ours are shorter. */
const HEAD_BYTES = 8192

export function countMails(folder: string): number {
  try {
    return readdirSync(folder).length
  } catch {
    // The first mail makes it.
    return 0
  }
}

export function readMaildir(folder: string): Held {
  const held: Held = { byMessageId: new Map(), byRecipient: new Map(), repeated: 0 }
  for (const file of readdirSync(folder)) {
    const head = readHead(join(folder, file))
    const id = /^message-id:\s*(\S+)/im.exec(head)?.[1] ?? `none in ${file}`
    const before = held.byMessageId.get(id) ?? 0
    held.byMessageId.set(id, before + 1)
    if (before > 0) {
      held.repeated += 1
      continue
    }
    const to = /^to:\s*<(\S+)>/im.exec(head)?.[1] ?? `nobody in ${file}`
    held.byRecipient.set(to, (held.byRecipient.get(to) ?? 0) + 1)
  }
  return held
}

function readHead(path: string): string {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(HEAD_BYTES)
  const length = readSync(file, bytes)
  closeSync(file)
  return bytes.toString('latin1', 0, length)
}
