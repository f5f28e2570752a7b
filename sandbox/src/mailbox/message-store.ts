/** One message as one recipient got it. */
export type Message = {
  /** Grows by one from message to message; starts at 1 with every start of the sandbox. */
  id: string
  /** The recipient of the envelope, as it was given. */
  to: string
  from: string
  subject: string
  /** Empty where the message has no such part. */
  text: string
  html: string
  /** Names in lower case; a header that occurs several times has one line for each value. */
  headers: Record<string, string>
  /** ISO 8601, UTC. */
  receivedAt: string
}

export type Content = Omit<Message, 'id' | 'to' | 'receivedAt'>

export type Limits = { messages: number; bytes: number }

export type MessageStore = {
  /** @param bytes size of the message as it came over the wire */
  add(content: Content, recipients: string[], bytes: number, now: Date): void
  find(id: string): Message | null
  /** Newest first. `to`: only to this address; `since` and `before`: only ids above and below. */
  list(filter?: { to?: string; since?: number; before?: number; limit?: number }): Message[]
  clear(): void
}

/** Keeps messages in memory; the oldest make room as soon as there are more than the limits allow. */
export function makeMessageStore(limits: Limits): MessageStore {
  let rows: { message: Message; bytes: number }[] = []
  let lastId = 0
  let bytesKept = 0

  function makeRoom(): void {
    let dropped = 0
    while (rows.length - dropped > limits.messages || bytesKept > limits.bytes) {
      bytesKept -= rows[dropped]?.bytes ?? 0
      dropped += 1
    }
    rows.splice(0, dropped)
  }

  return {
    add(content, recipients, bytes, now) {
      for (const to of recipients) {
        lastId += 1
        rows.push({ message: { id: String(lastId), to, ...content, receivedAt: now.toISOString() }, bytes })
        bytesKept += bytes
      }
      makeRoom()
    },
    find(id) {
      // Ids are kept without gaps, so the place of a message follows from the newest.
      const row = /^\d{1,15}$/.test(id) ? rows[rows.length - 1 - (lastId - Number(id))] : undefined
      return row?.message.id === id ? row.message : null
    },
    list({ to, since = 0, before = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = {}) {
      const wanted = to?.toLowerCase()
      const found: Message[] = []
      for (let index = rows.length - 1; index >= 0 && found.length < limit; index -= 1) {
        const message = rows[index]?.message
        if (!message || Number(message.id) <= since) break
        if (Number(message.id) < before && (!wanted || message.to.toLowerCase() === wanted))
          found.push(message)
      }
      return found
    },
    clear() {
      rows = []
      bytesKept = 0
    },
  }
}
