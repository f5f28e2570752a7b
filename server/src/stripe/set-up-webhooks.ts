import { BRAND } from '@tradepost/contract/brand'
import Stripe from 'stripe'
import { sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps, stripeMark } from './stripe-client.ts'
import { ACCOUNT_EVENTS, PLATFORM_EVENTS, WEBHOOK_PATHS } from './webhook-events.ts'

/** A fault in Stripe's settings for one of our two addresses for webhooks. */
export type WebhookFault = { path: string; fault: 'absent' | 'disabled' | 'lacks events' | 'other version' }

/**
 * Has Stripe send what the platform asks for to `origin`: one endpoint of ours, with these events in this version of the
 * API. Older ones of ours go, since each would deliver everything once more.
 * @returns the signing secret when a new one was made, which Stripe answers this once; else null
 */
export async function setUpPlatformWebhook(deps: StripeDeps, origin: string): Promise<string | null> {
  const { webhookEndpoints } = sdkOf(deps)
  const url = origin + WEBHOOK_PATHS.platform
  const own = await listOwnEndpoints(deps, url)
  const kept = own.find((endpoint) => endpoint.api_version === Stripe.API_VERSION)
  const wanted = { url, enabled_events: [...PLATFORM_EVENTS], metadata: stripeMark(deps.settings) }
  let secret: string | null = null
  if (kept) await webhookEndpoints.update(kept.id, { ...wanted, disabled: false })
  else {
    const made = await webhookEndpoints.create({
      ...wanted,
      api_version: Stripe.API_VERSION,
      description: `${BRAND}: payments`,
    })
    secret = made.secret ?? null
  }
  for (const old of own.filter(({ id }) => id !== kept?.id)) await webhookEndpoints.del(old.id)
  return secret
}

/** As `setUpPlatformWebhook`, of what happens to the traders' accounts. */
export async function setUpAccountsWebhook(deps: StripeDeps, origin: string): Promise<string | null> {
  const destinations = sdkOf(deps).v2.core.eventDestinations
  const url = origin + WEBHOOK_PATHS.accounts
  const [kept, ...older] = await listOwnDestinations(deps, url)
  const wanted = {
    name: `${BRAND}: accounts`,
    enabled_events: [...ACCOUNT_EVENTS],
    metadata: stripeMark(deps.settings),
    webhook_endpoint: { url },
  }
  let secret: string | null = null
  if (kept) {
    await destinations.update(kept.id, wanted)
    if (kept.status === 'disabled') await destinations.enable(kept.id)
  } else {
    const made = await destinations.create({
      ...wanted,
      type: 'webhook_endpoint',
      event_payload: 'thin',
      // Accounts of the second version belong to the platform and are separate accounts: we receive the events of both.
      events_from: ['@self', '@accounts'],
      include: ['webhook_endpoint.signing_secret'],
    })
    secret = made.webhook_endpoint?.signing_secret ?? null
  }
  for (const old of older) await destinations.del(old.id)
  return secret
}

/** Finds the parts of the set-up that are missing at Stripe or differ from ours. */
export async function findWebhookFaults(deps: StripeDeps): Promise<WebhookFault[]> {
  const [endpoint] = await listOwnEndpoints(deps, deps.settings.origin + WEBHOOK_PATHS.platform)
  const [destination] = await listOwnDestinations(deps, deps.settings.origin + WEBHOOK_PATHS.accounts)
  const faults: WebhookFault[] = []
  const note = (path: string, fault: WebhookFault['fault'] | null) => fault && faults.push({ path, fault })
  note(WEBHOOK_PATHS.platform, faultOf(endpoint, PLATFORM_EVENTS))
  note(WEBHOOK_PATHS.accounts, faultOf(destination, ACCOUNT_EVENTS))
  if (endpoint && endpoint.api_version !== Stripe.API_VERSION) note(WEBHOOK_PATHS.platform, 'other version')
  return faults
}

type RegisteredEndpoint = { status: string; enabled_events: string[] }

function faultOf(
  registered: RegisteredEndpoint | undefined,
  events: readonly string[],
): WebhookFault['fault'] | null {
  if (!registered) return 'absent'
  if (registered.status === 'disabled') return 'disabled'
  return events.every((event) => registered.enabled_events.includes(event)) ? null : 'lacks events'
}

/** Newest first; ours by their mark and path, or because they lead to the same address. */
async function listOwnEndpoints(deps: StripeDeps, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const own: Stripe.WebhookEndpoint[] = []
  for await (const endpoint of sdkOf(deps).webhookEndpoints.list({ limit: 100 })) {
    const marked = isOurs(deps.settings, endpoint.metadata) && endpoint.url.endsWith(WEBHOOK_PATHS.platform)
    if (marked || endpoint.url === url) own.push(endpoint)
  }
  return own
}

async function listOwnDestinations(
  deps: StripeDeps,
  url: string,
): Promise<Stripe.V2.Core.EventDestination[]> {
  const own: Stripe.V2.Core.EventDestination[] = []
  const list = sdkOf(deps).v2.core.eventDestinations.list({ include: ['webhook_endpoint.url'] })
  for await (const destination of list) {
    const ours = isOurs(deps.settings, destination.metadata) || destination.webhook_endpoint?.url === url
    if (ours && destination.event_payload === 'thin') own.push(destination)
  }
  return own
}
