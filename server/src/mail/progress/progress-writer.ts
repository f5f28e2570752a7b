import type { Progress } from './progress.queries.ts'
import type { ProgressFile, ProgressSlot } from './progress-file.ts'
import { type LeasedRange, rangePlace } from './range.ts'

/** The most mails of a range that may be sent beyond the progress that the database is known to have. */
const RUN_AHEAD = 64
/**
 * The pause between two statements, unless somebody waits: each then carries several mails of a range, which saves more than half of the
 * WAL and of the database's work. The cost: after the loss of a host, its mails of the last pause are sent again.
 */
const PAUSE_MS = 2
/**
 * When the database has not answered for this long, it is asked before the next mail: a worker that hung must find out that its lease
 * has another owner by now.
 */
const CONFIRMED_FOR_MS = 5000

type Held = {
  range: LeasedRange
  slot: ProgressSlot
  /** The newest step that no statement carries yet, and the one that is on its way. */
  pending: Progress | null
  writing: Progress | null
  /** Mails sent, as the database has it, and when it last answered. */
  writtenSent: number
  confirmedAt: number
  /** Why the last statement failed: done or not, nobody knows. */
  fault: unknown
  /** The lease has another owner. */
  gone: boolean
  waiting: PromiseWithResolvers<boolean> | null
}

/**
 * Records the progress of the ranges that a worker holds: in its file at once, in the database behind that. One statement is on
 * its way at any time and carries the newest step of every range, so a connection never waits for the database between two mails,
 * and a range is written once for several of them. Steps are absolute: one that is written twice changes nothing.
 */
export class ProgressWriter {
  private readonly held = new Map<string, Held>()
  private readonly file: ProgressFile
  private readonly write: (steps: Progress[]) => Promise<boolean[]>
  private flushing = false
  private hurry: () => void = () => undefined

  /** @param write answers for each step whether the lease was still this worker's */
  constructor(file: ProgressFile, write: (steps: Progress[]) => Promise<boolean[]>) {
    this.file = file
    this.write = write
  }

  /** Begins to record a range that was leased. */
  begin(range: LeasedRange, leasedAt: Date): void {
    this.held.set(rangePlace(range), {
      range,
      slot: this.file.begin(range, range),
      pending: null,
      writing: null,
      writtenSent: range.sent,
      confirmedAt: leasedAt.getTime(),
      fault: null,
      gone: false,
      waiting: null,
    })
  }

  isEmpty(): boolean {
    return this.held.size === 0
  }

  ranges(): LeasedRange[] {
    return [...this.held.values()].map(({ range }) => range)
  }

  /**
   * Notes a step, and writes it soon. Waits for the database with the last step of a range, when it is too many mails behind, or
   * when it has not answered for long.
   * @returns false when the range is no longer this worker's
   * @throws the database's error for this step or one before
   */
  async advance(step: Progress): Promise<boolean> {
    const held = this.held.get(rangePlace(step.range))
    if (!held) return false
    const noted = held.slot.note({ progress: step.reached, sent: step.sent })
    held.pending = step
    if (held.fault) throw held.fault
    if (!this.flushing) void this.flush()
    const recent = step.at.getTime() - held.confirmedAt < CONFIRMED_FOR_MS
    await noted
    if (!step.done && recent && step.sent - held.writtenSent < RUN_AHEAD) return true
    return this.caughtUp(held)
  }

  /**
   * Resolves once everything of a range is in the database, which is tried again where it failed.
   * @returns false when the range is no longer this worker's
   */
  async settle(place: string): Promise<boolean> {
    const held = this.held.get(place)
    if (!held) return false
    held.fault = null
    void this.flush()
    return this.caughtUp(held)
  }

  async settleAll(): Promise<void> {
    await Promise.all([...this.held.keys()].map((place) => this.settle(place)))
  }

  /** Something else than a step has moved the range on in the database. */
  moved(step: Progress): void {
    const held = this.held.get(rangePlace(step.range))
    if (!held) return
    void held.slot.note({ progress: step.reached, sent: step.sent })
    held.confirmedAt = step.at.getTime()
  }

  forget(place: string): void {
    this.held.get(place)?.slot.free()
    this.held.delete(place)
  }

  /** The newest step of each range that may not be in the database. */
  unrecorded(): Progress[] {
    return [...this.held.values()].flatMap(({ pending, writing }) => pending ?? writing ?? [])
  }

  private caughtUp(held: Held): boolean | Promise<boolean> {
    if (held.gone || (!held.pending && !held.writing)) return !held.gone
    held.waiting ??= Promise.withResolvers()
    this.hurry()
    return held.waiting.promise
  }

  private async flush(): Promise<void> {
    if (this.flushing) return
    this.flushing = true
    // Replies that arrived together are recorded together.
    await new Promise((resolve) => setImmediate(resolve))
    for (let due = this.due(); due.length > 0; due = this.due()) {
      await this.writeTogether(due)
      await this.pause()
    }
    this.flushing = false
  }

  /** Resolves early when somebody waits for an unwritten step. */
  private pause(): Promise<void> {
    if ([...this.held.values()].some(({ waiting }) => waiting)) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS)
      this.hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private due(): Held[] {
    return [...this.held.values()].filter(({ pending, fault }) => pending && !fault)
  }

  private async writeTogether(due: Held[]): Promise<void> {
    const steps = due.flatMap((held) => {
      held.writing = held.pending
      held.pending = null
      return held.writing ?? []
    })
    try {
      const written = await this.write(steps)
      due.forEach((held, index) => {
        this.written(held, written[index] ?? false)
      })
    } catch (error) {
      for (const held of due) {
        held.pending ??= held.writing
        held.writing = null
        held.fault = error
        held.waiting?.reject(error)
        held.waiting = null
      }
    }
  }

  private written(held: Held, mine: boolean): void {
    const step = held.writing
    held.writing = null
    held.gone = !mine
    if (step) {
      held.writtenSent = step.sent
      held.confirmedAt = step.at.getTime()
    }
    if (mine && held.pending) return
    if (!mine || step?.done) this.forget(rangePlace(held.range))
    held.waiting?.resolve(mine)
    held.waiting = null
  }
}
