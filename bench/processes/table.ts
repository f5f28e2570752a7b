import { median } from '../ratio.ts'
import { type Measured, shareOfCores } from './measured.ts'
import { CORES } from './processor-time.ts'
import { type Seen, shareOf, together } from './waits.ts'

const KINDS = ['Lock', 'LWLock', 'IO', 'Client']
const NAMED = 6

/** Prints rows for docs/measurements.md. @param unit of the counts, as `read` */
export function printTable(process: string, unit: string, rounds: Map<number, Measured[]>): void {
  const all = [...rounds.values()]
  const one = rates(all[0] ?? [])
  console.log(
    `\n| ${process}, ${unit}s | a second | times one | processor time of a ${unit}: ${process}, database, bench | of ${CORES} cores: these, other work | of the time in which a session works, it waits for a lock, a light-weight one, the disk, the product |`,
  )
  console.log('|---|---|---|---|---|---|')
  for (const [count, measured] of rounds) {
    const own = rates(measured)
    const times = own.map((rate, round) => rate / (one[round] ?? Number.NaN))
    const micros = (['product', 'database', 'bench'] as const).map((who) =>
      median(measured.map((round) => (1000 * round[who]) / round.done)).toFixed(0),
    )
    const seen = together(measured.map((round) => round.seen))
    const waits = KINDS.map((kind) => `${shareOf(seen, kind).toFixed(2)} %`)
    console.log(
      `| ${[
        count,
        `${median(own).toFixed(0)} (${Math.min(...own).toFixed(0)} to ${Math.max(...own).toFixed(0)})`,
        median(times).toFixed(2),
        `${micros.join(', ')} µs`,
        coresOf(measured),
        waits.join(', '),
      ].join(' | ')} |`,
    )
  }
  for (const [count, measured] of rounds) printWaits(count, together(measured.map((round) => round.seen)))
}

const rates = (measured: Measured[]) => measured.map(({ done, seconds }) => done / seconds)

function coresOf(measured: Measured[]): string {
  const share = (of: (round: Measured) => number) =>
    median(measured.map((round) => shareOfCores(round, of(round)))).toFixed(0)
  const these = ({ product, database, bench }: Measured) => product + database + bench
  return `${share(these)} %, ${share((round) => Math.max(0, round.machine - these(round)))} %`
}

function printWaits(count: number, seen: Seen): void {
  const working = [...seen.working.values()].reduce((sum, some) => sum + some, 0)
  const each = (some: number) => (some / seen.looks).toFixed(2)
  const names = [...seen.names]
    .sort(([, some], [, other]) => other - some)
    .slice(0, NAMED)
    .map(([name, some]) => `${name} ${((100 * some) / working).toFixed(2)} %`)
  console.log(
    `  ${count}: ${seen.looks} looks; at work ${each(working)} sessions, within a transaction and waiting for the product ${each(seen.between)}; ${names.join(', ')}`,
  )
}
