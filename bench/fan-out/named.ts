import { inScenario } from '../faults/delivery-scenario.ts'
import { type Contender, compare, median } from '../ratio.ts'
import { openToAll, type Use } from './run.ts'
import { startSinkProcess } from './sink-process.ts'

const MAILS = Number(process.env.DELIVERY_FOLLOWERS ?? 20_000)
const ROUNDS = Number(process.env.NAMED_ROUNDS ?? 7)
const BOUNCE_ADDRESS = 'bounces@mail.tradepost.example'

/**
 * What it costs that every mail has a return path of its own (decision 0066): one open to all followers by a worker with BOUNCE_ADDRESS, in
 * turn with one without. `NAMED_BESIDE` names the `main.ts` of another copy of the product, which takes its rounds with BOUNCE_ADDRESS in turn.
 */
export async function benchNamedMails(): Promise<void> {
  const uses = new Map<string, Use[]>()
  const contender = (name: string, through: { bounceAddress?: string; main?: string }): Contender => {
    const own: Use[] = []
    uses.set(name, own)
    return { name, run: () => rateOf(through, own) }
  }
  const named = { bounceAddress: BOUNCE_ADDRESS }
  const beside = process.env.NAMED_BESIDE
  await compare(
    `an open to ${MAILS} followers, each mail with a return path of its own`,
    'mails/s',
    contender('named', named),
    [
      contender('all from one address', {}),
      ...(beside ? [contender('named, the other version', { ...named, main: beside })] : []),
    ],
    ROUNDS,
  )
  for (const [name, own] of uses)
    console.log(
      `  ${name}: ${median(own.map(({ cpuUs }) => cpuUs)).toFixed(1)} us of processor a mail (median)`,
    )
}

/** @returns mails a second of a worker that has been running */
async function rateOf(through: { bounceAddress?: string; main?: string }, own: Use[]): Promise<number> {
  let rate = Number.NaN
  const sink = await startSinkProcess()
  await inScenario(
    async (scenario) => {
      const last = (await openToAll({ scenario, sink, mails: MAILS }, through)).at(-1)
      if (last) own.push(last)
      rate = last?.rate ?? Number.NaN
    },
    { followers: MAILS },
  )
  await sink.close()
  return rate
}
