import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { CountingSink } from '../../server/test/mails/counting-sink.ts'
import type { Manner } from '../../server/test/mails/sink-conversation.ts'

/** Every so often the server refuses us for a while, as one does that finds us on a block list. */
const BLOCK_EVERY_MS = 13_000
const BLOCKED_MS = 2000
const HOUR_MS = 3_600_000

export type RudeServer = {
  /** Mails that it took without saying so: each may be sent again. */
  unsaid(): number
  /** How often it was rude, by manner. */
  counts(): Record<string, number>
  /** From now on it is a good server; and it is an hour later, so that what waits for another try is due. */
  behave(clockFile: string): void
}

/** Has a mail server behave, by chance, as they do in a bad year: late, silent, refusing, hanging up at any stage. */
export function makeRude(sink: CountingSink): RudeServer {
  const counts = new Map<string, number>()
  const began = performance.now()
  /** One of the manners for one in so many thousand, and else none. */
  const byChance = (stage: string, manners: readonly (readonly [perMille: number, Manner])[]) => {
    let drawn = randomInt(1000)
    for (const [perMille, manner] of manners) {
      if (drawn < perMille) return noted(stage, manner)
      drawn -= perMille
    }
    return null
  }
  const noted = (stage: string, manner: Manner) => {
    const name = `${stage}: ${typeof manner === 'object' ? 'late' : manner}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return manner
  }
  const isBlocked = () => (performance.now() - began) % BLOCK_EVERY_MS > BLOCK_EVERY_MS - BLOCKED_MS
  sink.script = {
    // Asked for each answer: some come in one packet with others, some byte by byte.
    get inBytes() {
      return randomInt(10) === 0
    },
    asksForNothing: true,
    greeting: () =>
      byChance('greeting', [
        [20, '450 4.3.2 busy'],
        [20, 'vanish'],
        [20, { waitMs: 500 }],
      ]),
    sender: () =>
      byChance('MAIL', [
        [2, '421 4.3.2 closing'],
        [1, 'vanish'],
        [2, '451 4.3.0 later'],
      ]),
    recipient: () =>
      isBlocked()
        ? noted('RCPT', '554 5.7.1 client host blocked')
        : byChance('RCPT', [
            [2, '451 4.7.1 later'],
            [1, 'vanish'],
            [2, '421 4.7.0 too much'],
          ]),
    data: () =>
      byChance('DATA', [
        [1, 'vanish'],
        [1, '451 4.3.0 later'],
      ]),
    message: () =>
      byChance('dot', [
        [2, 'drop'],
        [2, 'vanish'],
        [1, '452 4.2.2 full'],
        [2, 'twice'],
        [1, { waitMs: 2000 }],
      ]),
  }
  return {
    unsaid: () => counts.get('dot: drop') ?? 0,
    counts: () => Object.fromEntries([...counts].sort()),
    behave(clockFile) {
      sink.script = {}
      writeFileSync(clockFile, String(HOUR_MS))
    },
  }
}
