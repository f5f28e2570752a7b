import type Stripe from 'stripe'
import { catchUpEvents } from '../../src/billing/webhooks/webhooks.jobs.ts'
import type { Random } from '../../src/dev/seed/random.ts'
import { PLATFORM_EVENTS, WEBHOOK_PATHS } from '../../src/stripe/webhook-events.ts'
import type { BillingScenario } from './billing-scenario.ts'

const newestEvents = new WeakMap<BillingScenario, string>()

/** Stripe's events since the last look that the product is sent, the oldest first. @param scenario without webhooks */
export async function readNewEvents(scenario: BillingScenario): Promise<Stripe.Event[]> {
  const since = newestEvents.get(scenario)
  const list = scenario.stripe.events.list({
    limit: 100,
    ...(since !== undefined && { ending_before: since }),
  })
  const found = await list.autoPagingToArray({ limit: 10_000 })
  const events = since === undefined ? found.toReversed() : found
  const last = events.at(-1)
  if (last) newestEvents.set(scenario, last.id)
  return events.filter((event) => PLATFORM_EVENTS.some((type) => type === event.type))
}

/**
 * Sends events to the app as Stripe does, in order or disturbed by chance.
 * @param copies a disturbed event is sent so many times
 */
export function makeReporter(
  scenario: BillingScenario,
  random: Random,
  copies: { from: number; to: number } = { from: 1, to: 5 },
) {
  const kept: Stripe.Event[] = []
  const post = (event: Stripe.Event) => postEvent(scenario, 'platform', event)
  const answerShuffled = async (events: Stripe.Event[]) => {
    const all = events.flatMap((event) =>
      Array.from({ length: random.between(copies.from, copies.to) }, () => event),
    )
    for (const event of shuffle(random, all)) {
      await post(event)
      if (random.next() < 0.1) await scenario.work()
    }
  }
  return {
    async reportAll(events: Stripe.Event[]) {
      for (const event of events) await post(event)
      await scenario.work()
    },
    /** @param options.acts the product has something to do at Stripe: it gets the event before anything else happens there */
    async reportSome(events: Stripe.Event[], options: { acts: boolean }) {
      const dropped = events.filter(
        (_, at) => random.next() < 0.3 && !(options.acts && at === events.length - 1),
      )
      const replayed = kept.splice(0).filter((event) => random.next() < 0.5 || !kept.push(event))
      await answerShuffled([...events.filter((event) => !dropped.includes(event)), ...replayed])
      kept.push(...dropped)
      if (options.acts || random.next() < 0.5) await scenario.work()
    },
    /** Much later: half of the dropped events are sent after all, the rest is found in Stripe's list. */
    async finish() {
      await answerShuffled(kept.splice(0).filter(() => random.next() < 0.5))
      await scenario.runScheduled(catchUpEvents)
      await scenario.work()
    },
  }
}

/** Sends what has just happened to a trader's account, twice, and has it dealt with. */
export async function reportAccount(scenario: BillingScenario, account: string): Promise<void> {
  const { data } = await scenario.stripe.v2.core.events.list({ object_id: account, limit: 1 })
  const [event] = data
  if (!event) throw new Error('nothing happened to the account')
  for (const one of [event, event]) await postEvent(scenario, 'accounts', one)
  await scenario.work()
}

async function postEvent(
  { stripe, testApp }: BillingScenario,
  endpoint: keyof typeof WEBHOOK_PATHS,
  event: object,
): Promise<void> {
  const payload = JSON.stringify(event)
  const timestamp = Math.floor(testApp.clock.now().getTime() / 1000)
  const { accountsWebhookSecrets, webhookSecrets } = testApp.settings.stripe
  const [secret = ''] = endpoint === 'platform' ? webhookSecrets : accountsWebhookSecrets
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const headers = { 'stripe-signature': signature }
  const { statusCode } = await testApp.app.inject({
    method: 'POST',
    url: WEBHOOK_PATHS[endpoint],
    headers,
    payload,
  })
  if (statusCode !== 200) throw new Error(`a webhook was answered ${statusCode}`)
}

/** The same things in an order by chance. */
export function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
