import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const LISTED = 12

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** Prints where a process spent its computing time, from the profile that `--cpu-prof` wrote into the folder. */
export function printProfile(who: string, folder: string): void {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile')) ?? ''
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const spent = new Map<string, number>()
  for (const [nth, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[nth] ?? 0))
  }
  for (const waiting of ['(idle)', '(root)']) spent.delete(waiting)
  const whole = [...spent.values()].reduce((sum, one) => sum + one, 0)
  const most = [...spent].sort(([, one], [, other]) => other - one).slice(0, LISTED)
  console.log(
    `\n${who}, of the time in which it computed (${Math.round(whole / 1000)} ms), without what it calls:`,
  )
  for (const [name, micros] of most) console.log(`  ${((100 * micros) / whole).toFixed(1)} %  ${name}`)
}

function nameOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  return url === '' ? functionName : `${functionName || 'anonymous'} (${basename(url)})`
}
