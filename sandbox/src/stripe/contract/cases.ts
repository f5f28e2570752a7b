import type { Clock } from '../../clock.ts'
import { makeTestClock, openWorld, type Target, type TestWorld } from './world.ts'

/** The real test-mode key to compare with; without it the suite proves the sandbox alone. */
const REAL_KEY = process.env.STRIPE_TEST_SECRET_KEY || null

/** The part of the test runner that a suite uses, passed in by the test file, which alone imports it. */
type Runner = {
  test(title: string, run: () => Promise<void>): void
  beforeAll(run: () => Promise<void>): void
  afterAll(run: () => Promise<void>): void
}

export type Suite<Client> = {
  world(): TestWorld
  client(): Client
  /** A case that any Stripe must pass; with a real key it runs there too, and the shapes of what it answers must agree. */
  both(title: string, run: (stripe: Client, mark: string) => Promise<unknown>): void
  /** A case that needs the sandbox's pages, clock or faults. */
  here(title: string, run: (stripe: Client, world: TestWorld) => Promise<void>): void
}

/**
 * One file's cases around one sandbox.
 * @param make builds the SDK's client; the SDK itself is imported by the test files alone
 * @param clock the sandbox's; a stated day unless given, since a year of months that began on a 30th ends days early
 */
export function suite<Client>(
  make: (key: string, target: Partial<Target>) => Client,
  { test, beforeAll, afterAll }: Runner,
  clock: Clock = makeTestClock(),
): Suite<Client> {
  let world: TestWorld | undefined
  let count = 0
  beforeAll(async () => {
    world = await openWorld(clock)
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })
  const opened = () => {
    if (world === undefined) throw new Error('The sandbox is not open yet.')
    return world
  }
  const client = () => make('sk_test_contract', opened().target)
  return {
    world: opened,
    client,
    both(title, run) {
      const mark = `${process.pid}-${Date.now()}-${count++}`
      test(title, async () => {
        const answer = plain(await run(client(), mark))
        if (REAL_KEY === null) return
        if (!REAL_KEY.startsWith('sk_test_')) throw new Error('STRIPE_TEST_SECRET_KEY must be a test key.')
        const real = plain(await run(make(REAL_KEY, { maxNetworkRetries: 2, telemetry: false }), mark))
        const differences = shapeDifferences(answer, real)
        if (differences.length > 0)
          throw new Error(`Real Stripe answers otherwise:\n${differences.join('\n')}`)
      })
    },
    here(title, run) {
      test(title, () => run(client(), opened()))
    },
  }
}

/** An answer as it came over the wire. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}

/** Moves the account's clock by a month, and by the hour in which a renewal that fell due is a draft. */
export async function passMonth(world: TestWorld): Promise<void> {
  await control(world, 'advance', { months: 1 })
  await control(world, 'advance', { seconds: 3600 })
}

/** Asks the control desk to do something. */
export async function control(
  world: TestWorld,
  action: string,
  input: Record<string, unknown> = {},
): Promise<string> {
  const answer = await fetch(`${world.url}/control/api/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const { done, error } = (await answer.json()) as { done?: string; error?: string }
  if (done === undefined) throw new Error(error)
  return done
}

/**
 * The differences between the shapes of two answers: fields that only one has, and values of another kind. Null agrees with
 * anything, since a single object cannot show more.
 * @returns one line for each difference, empty when they agree
 */
function shapeDifferences(left: unknown, right: unknown, path = ''): string[] {
  if (left === null || right === null) return []
  const kinds = [kindOf(left), kindOf(right)]
  if (kinds[0] !== kinds[1]) return [`${path || '(top)'}: ${kinds.join(' against ')}`]
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length === 0 || right.length === 0) return []
    return shapeDifferences(left[0], right[0], `${path}[]`)
  }
  if (kinds[0] !== 'object') return []
  // Metadata is the caller's own; its keys are no part of the shape.
  if (path.endsWith('metadata')) return []
  return fieldDifferences(left as Record<string, unknown>, right as Record<string, unknown>, path)
}

function fieldDifferences(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  path: string,
): string[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
  return names.flatMap((name) => {
    const at = path === '' ? name : `${path}.${name}`
    if (!(name in left)) return [`${at}: only on the right`]
    if (!(name in right)) return [`${at}: only on the left`]
    return shapeDifferences(left[name], right[name], at)
  })
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
