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
import type { RangeKey } from './range.ts'

/** How far a range has come. */
export type Reached = {
  /** All recipients up to this number are settled. */
  progress: number
  /** Mails of the range that the mail server took. */
  sent: number
}

/** A range as its row names it. A database that was restored may use an event's number again; the time distinguishes them. */
export type RangeOfFile = RangeKey & { createdAt: Date }

/** Where the progress of one range is noted. */
export type ProgressSlot = {
  /** Resolves when it is written, together with all that was noted in the same turn of the event loop. */
  note(reached: Reached): Promise<void>
  /** Lets another range have the slot. */
  free(): void
}

const SLOT_BYTES = 64
/** Trader, event, first number and time of the row; then, at `REACHED`, progress and mails sent. */
const AT = { trader: 0, event: 16, from: 24, createdAt: 32, reached: 40 }
/** Longer than a product is ever down with mails still to send. */
const KEPT_MS = 7 * 86_400_000
const NO_SLOT: ProgressSlot = { note: async () => undefined, free: () => undefined }

/**
 * A worker's own record of how far its ranges have come, on the disk of its host (ADR 0058). Each mail is noted in place
 * before the next one of its range leaves, without waiting for the disk: the written notes outlive the process. Mails that were
 * taken in one turn of the event loop are noted with one write, since a write costs more than its bytes. A worker that leases a range of one
 * that died on this host goes on where the file ends, while the database may be a few mails behind. Holds no address.
 */
export class ProgressFile {
  private readonly path: string
  private readonly log: Log
  private readonly folder: string
  private file: number | null = null
  private failed = false
  private readonly free: number[] = []
  private slots = 0
  /** The file as it is to be. */
  private bytes = Buffer.alloc(0)
  private due: { from: number; to: number; written: Promise<void> } | null = null

  /**
   * @param place.folder made when the first range is noted
   * @param place.number of the worker; the file's name has a random part too, since two databases may share the folder
   */
  constructor(place: { folder: string; number: number; log: Log }) {
    this.folder = place.folder
    this.path = join(place.folder, `${place.number}-${randomBytes(6).toString('hex')}`)
    this.log = place.log
  }

  /** A slot for a range that was leased. Where no file can be written, the worker goes on without one and logs it once. */
  begin(range: RangeOfFile, reached: Reached): ProgressSlot {
    if (!this.open()) return NO_SLOT
    const slot = this.free.pop() ?? this.add()
    const at = slot * SLOT_BYTES
    writeName(this.bytes, at, range)
    writeReached(this.bytes, at, reached)
    this.write(at, at + SLOT_BYTES)
    return {
      note: (now) => {
        writeReached(this.bytes, at, now)
        return this.writeSoon(at, at + SLOT_BYTES)
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

  /** Closes the file, and leaves it for the worker that leases these ranges next. */
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

  /** @returns the number of a new slot at the end */
  private add(): number {
    this.bytes = Buffer.concat([this.bytes, Buffer.alloc(SLOT_BYTES)])
    return this.slots++
  }

  private writeSoon(from: number, to: number): Promise<void> {
    const { due } = this
    if (due) {
      due.from = Math.min(due.from, from)
      due.to = Math.max(due.to, to)
      return due.written
    }
    const { promise: written, resolve } = Promise.withResolvers<void>()
    const part = { from, to, written }
    this.due = part
    // After all replies of this turn have been read.
    setImmediate(() => {
      this.due = null
      this.write(part.from, part.to)
      resolve()
    })
    return written
  }

  /** Writes a part of the bytes to its place in the file. */
  private write(from: number, to: number): void {
    const { bytes, file } = this
    if (file === null) return
    this.attempt(() => writeSync(file, bytes, from, to - from, from))
  }

  private attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      // The file is out of date from here on. Nothing more is written, so that no reader takes its numbers for those of another range.
      this.close()
      this.log.warn({ reason: reasonOf(error) }, 'progress of mails is not noted on this disk')
    }
  }
}

/** @returns how far a worker noted that the range has come; null when no file of this host has it */
export function readNotedProgress(folder: string, number: number, range: RangeOfFile): Reached | null {
  const name = Buffer.alloc(AT.reached)
  writeName(name, 0, range)
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

function writeName(bytes: Buffer, at: number, { traderId, eventNo, from, createdAt }: RangeOfFile): void {
  bytes.write(traderId.replaceAll('-', ''), at + AT.trader, 'hex')
  bytes.writeDoubleLE(eventNo, at + AT.event)
  bytes.writeDoubleLE(from, at + AT.from)
  bytes.writeDoubleLE(createdAt.getTime(), at + AT.createdAt)
}

function writeReached(bytes: Buffer, at: number, { progress, sent }: Reached): void {
  bytes.writeDoubleLE(progress, at + AT.reached)
  bytes.writeDoubleLE(sent, at + AT.reached + 8)
}
