import type Stripe from 'stripe'

/** The SDK as other folders hand it on: only files of this folder look inside, so nothing else speaks Stripe's API. */
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
