import type Stripe from 'stripe'

/** The SDK as other folders pass it on: only files of this folder can open it, so only they call Stripe's API. */
export class StripeClient {
  readonly #sdk: Stripe

  constructor(sdk: Stripe) {
    this.#sdk = sdk
  }

  static sdkOf(client: StripeClient): Stripe {
    return client.#sdk
  }
}

export function sdkOf({ stripe }: { stripe: StripeClient }): Stripe {
  return StripeClient.sdkOf(stripe)
}

/** @param seconds since 1970 (UTC), as Stripe has instants */
export function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}

/** Stripe's id of something that may have been expanded. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id
}

/** The same of what may be absent. */
export function idOrNull(reference: string | { id: string } | null): string | null {
  return reference && idOf(reference)
}
