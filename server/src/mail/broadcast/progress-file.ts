import { randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Log, reasonOf } from '../../platform/log.ts'
import type { RangeKey } from './leases.queries.ts'

/** How far a range has come. */
export type Reached = {
  /** Everybody up to this number is settled. */
  progress: number
  /** Mails of the range that the mail server took. */
  sent: number
}

/** A range as its row names it. A database that was restored may use an event's number again; the time tells them apart. */
export type RangeOfFile = RangeKey & { createdAt: Date }

/** Where the progress of one range is noted. */
export type ProgressSlot = {
  note(reached: Reached): void
  /** Lets another range have the slot. */
  free(): void
}

const SLOT_BYTES = 64
/** Trader, event, first number and time of the row; then, at `REACHED`, progress and mails sent. */
const AT = { trader: 0, event: 16, from: 24, createdAt: 32, reached: 40 }
const REACHED_BYTES = 16
/** Longer than a product is ever down with mails still to send. */
const KEPT_MS = 7 * 86_400_000
const NO_SLOT: ProgressSlot = { note: () => undefined, free: () => undefined }

/**
 * A worker's own record of how far its ranges have come, on the disk of its host (decision 0058). Each mail is noted in place as
 * soon as it is taken, without waiting for the disk: what was written outlives the process. Whoever takes up a range of a worker
 * that died on this host goes on where the file says, while the database may be a few mails behind. Holds no address.
 */
export class ProgressFile {
  private readonly path: string
  private readonly log: Log
  private readonly folder: string
  private file: number | null = null
  private failed = false
  private readonly free: number[] = []
  private slots = 0

  /**
   * @param place.folder made when the first range is noted
   * @param place.number of the worker; the file's name has a random part too, since two databases may share the folder
   */
  constructor(place: { folder: string; number: number; log: Log }) {
    this.folder = place.folder
    this.path = join(place.folder, `${place.number}-${randomBytes(6).toString('hex')}`)
    this.log = place.log
  }

  /** A slot for a range that was leased. Where no file can be written, the worker goes on without one and says so once. */
  begin(range: RangeOfFile, reached: Reached): ProgressSlot {
    if (!this.open()) return NO_SLOT
    const slot = this.free.pop() ?? this.slots++
    const bytes = Buffer.alloc(SLOT_BYTES)
    writeName(bytes, range)
    writeReached(bytes, reached)
    this.write(bytes, { from: 0, length: SLOT_BYTES, at: slot * SLOT_BYTES })
    return {
      note: (now) => {
        writeReached(bytes, now)
        const part = { from: AT.reached, length: REACHED_BYTES, at: slot * SLOT_BYTES + AT.reached }
        this.write(bytes, part)
      },
      free: () => {
        this.free.push(slot)
      },
    }
  }

  /** Removes it: everything in it is in the database. */
  remove(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  /** Leaves it for whoever takes up what this worker held. */
  close(): void {
    if (this.file !== null) closeSync(this.file)
    this.file = null
    this.failed = true
  }

  private open(): boolean {
    if (this.file !== null || this.failed) return this.file !== null
    this.attempt(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      removeOld(this.folder)
      this.file = openSync(this.path, 'wx', 0o600)
    })
    return this.file !== null
  }

  private write(bytes: Buffer, part: { from: number; length: number; at: number }): void {
    const { file } = this
    if (file === null) return
    this.attempt(() => writeSync(file, bytes, part.from, part.length, part.at))
  }

  private attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      // What it says is behind from here on, which a reader must not take for the truth of another range.
      this.close()
      this.log.warn({ reason: reasonOf(error) }, 'progress of mails is not noted on this disk')
    }
  }
}

/** @returns how far a worker noted that the range has come; null when no file of this host tells */
export function readNotedProgress(folder: string, number: number, range: RangeOfFile): Reached | null {
  const name = Buffer.alloc(AT.reached)
  writeName(name, range)
  let furthest: Reached | null = null
  for (const bytes of filesOf(folder, number)) {
    for (let slot = 0; slot + SLOT_BYTES <= bytes.length; slot += SLOT_BYTES) {
      if (bytes.compare(name, 0, AT.reached, slot, slot + AT.reached) !== 0) continue
      const progress = bytes.readDoubleLE(slot + AT.reached)
      const sent = bytes.readDoubleLE(slot + AT.reached + 8)
      // A range that was given back and leased again stands in two slots.
      if (!furthest || progress > furthest.progress) furthest = { progress, sent }
    }
  }
  return furthest
}

function filesOf(folder: string, number: number): Buffer[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(`${number}-`))
      .map((name) => readFileSync(join(folder, name)))
  } catch {
    // Another host's worker, or none that could write: the database's progress stands.
    return []
  }
}

/** Files of workers that died long ago; each is about a kilobyte. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.NaN }
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { force: true })
  }
}

function writeName(bytes: Buffer, { traderId, eventNo, from, createdAt }: RangeOfFile): void {
  bytes.write(traderId.replaceAll('-', ''), AT.trader, 'hex')
  bytes.writeDoubleLE(eventNo, AT.event)
  bytes.writeDoubleLE(from, AT.from)
  bytes.writeDoubleLE(createdAt.getTime(), AT.createdAt)
}

function writeReached(bytes: Buffer, { progress, sent }: Reached): void {
  bytes.writeDoubleLE(progress, AT.reached)
  bytes.writeDoubleLE(sent, AT.reached + 8)
}
