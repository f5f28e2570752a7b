/**
 * A thousand workers killed (-9) one after the other, two at work at any time, while positions are opened so that there
 * are always mails to send. `WORKER_KILLS` changes the size. Prints figures and throws when one is violated.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { checkExactlyOnce, everybodyTold, print } from './delivery-checks.ts'
import { onStage, type Stage } from './delivery-stage.ts'

const KILLS = Number(process.env.WORKER_KILLS ?? 1000)
const AT_WORK = 2
const FOLLOWERS = 500
/** How long a worker lives once it has said that it runs. */
const LIFE_MS = { shortest: 20, longest: 500 }
/** A quarter of an hour on a quiet machine: nearly all of it is workers starting. */
const LIMIT_MS = 90 * 60_000

export const runs: Record<string, () => Promise<void>> = {
  'R1-thousand-kills': () => onStage(killedAllTheTime, { followers: FOLLOWERS }),
}

type Course = { began: number; begun: number; kills: number; opens: number; starts: number[]; over: boolean }

async function killedAllTheTime(stage: Stage): Promise<void> {
  const { sink } = stage
  const course: Course = { began: performance.now(), begun: 0, kills: 0, opens: 0, starts: [], over: false }
  const silence = watchSilence(stage)
  const opening = keepOpening(stage, course)
  await Promise.all(Array.from({ length: AT_WORK }, () => keepKilling(stage, course))).finally(() => {
    course.over = true
  })
  await opening
  const longestSilence = silence()
  await stage.startWorker()
  await everybodyTold(stage, course.opens)
  const bound = stage.connections * course.kills
  const starts = course.starts.sort((a, b) => a - b)
  print({
    kills: course.kills,
    minutes: Math.round((performance.now() - course.began) / 60_000),
    opens: course.opens,
    mails: sink.byMessageId.size,
    lost: course.opens * FOLLOWERS - sink.byMessageId.size,
    repeated: sink.repeats(),
    bound,
    'start to ready, median, ms': Math.round(starts[starts.length >> 1] ?? Number.NaN),
    'start to ready, p99, ms': Math.round(starts[Math.floor(starts.length * 0.99)] ?? Number.NaN),
    'longest time without a mail, ms': Math.round(longestSilence),
  })
  assert.equal(course.kills, KILLS, 'the run took too long')
  await checkExactlyOnce(stage, bound, { events: course.opens })
}

async function keepKilling(stage: Stage, course: Course): Promise<void> {
  while (course.begun < KILLS && performance.now() - course.began < LIMIT_MS) {
    course.begun += 1
    const started = performance.now()
    const worker = await stage.startWorker()
    course.starts.push(performance.now() - started)
    await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    await worker.kill()
    course.kills += 1
    if (course.kills % 100 === 0) console.log(`   ${course.kills} killed …`)
  }
}

/** Opens a position whenever fewer than two opens' mails are waiting. */
async function keepOpening(stage: Stage, course: Course): Promise<void> {
  while (!course.over) {
    const waiting = course.opens * FOLLOWERS - stage.sink.byMessageId.size
    if (waiting >= 2 * FOLLOWERS) await pause(20)
    else {
      await stage.publish(`K${course.opens}`)
      course.opens += 1
    }
  }
}

/** @returns how to ask for the longest time between two mails so far */
function watchSilence({ sink }: Stage): () => number {
  let longest = 0
  let last: number | null = null
  sink.script = {
    message() {
      const now = performance.now()
      if (last !== null) longest = Math.max(longest, now - last)
      last = now
      return null
    },
  }
  return () => longest
}
