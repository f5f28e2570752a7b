/** A message of a mailbox that is read by IMAP. */
export type Returned = { uid: number; raw: Buffer; seen: boolean }

export type ReturnedStore = {
  add(raw: string): void
  /** In the order of their uids, which grow by one. */
  readonly all: readonly Returned[]
}

const KEPT = 1000

/** Keeps the newest messages, in memory. */
export function makeReturnedStore(): ReturnedStore {
  const all: Returned[] = []
  let uid = 0
  return {
    all,
    add(raw) {
      uid += 1
      all.push({ uid, raw: Buffer.from(raw), seen: false })
      if (all.length > KEPT) all.shift()
    },
  }
}
