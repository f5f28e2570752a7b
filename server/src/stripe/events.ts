import { sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'
import { PLATFORM_EVENTS } from './webhook-events.ts'

/** An event names the object to read; its copy of the object may be old by now. */
type ListedEvent = { eventId: string; type: string; objectId: string | null; apiVersion: string | null }

/**
 * Events of the platform's own account, by Stripe's list of them, of the types that are handled.
 * @param created seconds since 1970, UTC
 */
export async function* eachEvent(
  deps: StripeDeps,
  created: { gte: number; lt?: number },
): AsyncGenerator<ListedEvent> {
  for await (const event of sdkOf(deps).events.list({ created, limit: 100 })) {
    if (!PLATFORM_EVENTS.some((type) => type === event.type)) continue
    const object = event.data.object as { id?: string }
    yield { eventId: event.id, type: event.type, objectId: object.id ?? null, apiVersion: event.api_version }
  }
}

/** The account that came back from onboarding: the notification does not name it, the event itself does. @throws what Stripe throws */
export async function findReturnedAccount(deps: StripeDeps, eventId: string): Promise<string | null> {
  const event = await sdkOf(deps).v2.core.events.retrieve(eventId)
  return event.type === 'v2.core.account_link.returned' ? event.data.account_id : null
}
