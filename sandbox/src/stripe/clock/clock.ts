import { makeSettings, OFFSET } from '../store/settings.ts'
import { addMonths } from '../time/periods.ts'
import { sandboxNow, type World } from '../world/world.ts'
import { isAdvancing, nextDueAt, settleDue } from './due.ts'

const LOOK_EVERY_MS = 1_000
/** While nothing is due, by a clock that only time moves; a machine that slept is noticed this late. */
const LONGEST_SLEEP_MS = 60_000

export type Step = { days: number } | { months: number } | { seconds: number }

export type SandboxClock = {
  /** Moves the sandbox's time forward and does all that falls due on the way. Answers how many things that were. */
  advance(step: Step): Promise<number>
  stop(): Promise<void>
}

/** Watches the time and does what falls due, whether time passes, CLOCK_FILE changes or a button is pressed. */
export function startClock(world: World): SandboxClock {
  let work: Promise<number> = Promise.resolve(0)
  let stopped = false
  let settling = 0
  // By the world's clock, in milliseconds: nothing falls due before. 0: not known, since something may have been planned.
  let quietUntil = 0
  let timer: NodeJS.Timeout | undefined
  const sleep = (milliseconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(wake, milliseconds)
    timer.unref()
  }
  const settle = () => {
    settling++
    const settled = work.then(() => (stopped ? 0 : settleDue(world)))
    work = settled.finally(() => {
      settling--
      if (stopped || settling > 0) return
      sleep(LOOK_EVERY_MS)
      quietUntil = nextDueAt(world)
    })
    return work
  }
  const look = () => {
    settle().catch((error: unknown) => {
      console.error('The payments sandbox could not do what falls due:', error)
      work = Promise.resolve(0)
    })
  }
  function wake(): void {
    const quietMs = quietUntil - world.clock.now().getTime()
    if (quietMs <= 0) look()
    else
      sleep(
        world.clock.isSteady ? Math.max(LOOK_EVERY_MS, Math.min(LONGEST_SLEEP_MS, quietMs)) : LOOK_EVERY_MS,
      )
  }
  world.committed.push(() => {
    if (quietUntil > 0) sleep(LOOK_EVERY_MS)
    quietUntil = 0
    // A test clock that was asked to advance does so at once.
    if (settling === 0 && isAdvancing(world)) look()
  })
  look()
  return {
    async advance(step) {
      moveOffset(world, step)
      return settle()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await work.catch(() => 0)
    },
  }
}

function moveOffset(world: World, step: Step): void {
  const settings = makeSettings(world.db)
  const now = sandboxNow(world)
  const seconds =
    'days' in step ? step.days * 86_400 : 'months' in step ? addMonths(now, step.months) - now : step.seconds
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error('The clock moves forward by whole seconds only.')
  settings.write(OFFSET, settings.read(OFFSET) + seconds * 1000)
}
