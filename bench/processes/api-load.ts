import { endpoints } from '../../contract/src/endpoints.ts'
import type { QuoteServer } from '../../server/test/prices/quote-server.ts'
import { hammer } from '../reads/hammer.ts'
import { READS, type Room } from '../reads/room.ts'
import type { ServerProcess } from '../server-process.ts'
import { askAll, get, post } from '../sign-in/http-line.ts'

/** Of all api together. */
const CONNECTIONS = 16
const SECONDS = 2
/** Of each person in a round. */
const OPENS = 2
const REASON = 'For a reason that is long enough.'

/** Five reads in turn, as everybody asks for them. @returns how many were answered */
export async function readAll(apis: ServerProcess[], { tokens }: Room): Promise<number> {
  const requests = tokens.flatMap((token, nth) =>
    Object.values(READS).map((pathOf) => Buffer.from(get(pathOf(nth), [`Authorization: Bearer ${token}`]))),
  )
  const options = { status: 200, seconds: SECONDS, connections: CONNECTIONS / apis.length }
  const began = performance.now()
  const rates = await Promise.all(
    apis.map(({ port }, nth) => hammer(port, startingAt(requests, nth / apis.length), options)),
  )
  return rates.reduce((sum, rate) => sum + rate, 0) * ((performance.now() - began) / 1000)
}

function startingAt(requests: Buffer[], share: number): Buffer[] {
  const first = Math.floor(requests.length * share)
  return [...requests.slice(first), ...requests.slice(0, first)]
}

let symbols = 0

/** Everybody checks a price and opens, two symbols one after the other. @returns how many positions */
export async function openAll(apis: ServerProcess[], room: Room, quotes: QuoteServer): Promise<number> {
  for (let nth = 0; nth < OPENS; nth += 1) {
    symbols += 1
    const symbol = `NEW${symbols}`
    quotes.set(symbol, { price: 100 + symbols, at: new Date() })
    const keys: string[] = []
    await everybody(apis, room, endpoints.preview.path, {
      bodyOf: () => ({ symbol }),
      answered: (body, person) => {
        keys[person] = String((JSON.parse(body) as { key: string }).key)
      },
    })
    const opening = { symbol, openNotes: REASON, positionLength: 'one_to_three_weeks' }
    await everybody(apis, room, endpoints.openPosition.path, {
      bodyOf: (person) => ({ ...opening, key: keys[person] }),
      answered: () => undefined,
    })
  }
  return OPENS * room.tokens.length
}

/** The nth person asks the nth api, in turn. */
async function everybody(
  apis: ServerProcess[],
  { tokens }: Room,
  path: string,
  { bodyOf, answered }: { bodyOf(person: number): object; answered(body: string, person: number): void },
): Promise<void> {
  const count = tokens.length / apis.length
  const ask = ({ port }: ServerProcess, api: number) => {
    const person = (index: number) => index * apis.length + api
    const request = (index: number) =>
      post(path, bodyOf(person(index)), [`Authorization: Bearer ${tokens[person(index)]}`])
    const answer = ({ status, body }: { status: number; body: string }, index: number) => {
      if (status >= 300) throw new Error(`${path} answered ${status} ${body}`)
      answered(body, person(index))
    }
    return askAll(port, count, { request, answer }, CONNECTIONS / apis.length)
  }
  await Promise.all(apis.map(ask))
}
