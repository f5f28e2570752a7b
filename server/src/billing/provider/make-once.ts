import { refusal } from '../../platform/http/refusal.ts'
import { isKeySpent } from '../../stripe/stripe-errors.ts'

/** A set-up that a request began and did not finish is finished automatically from then on, with growing pauses. */
export const FIRST_RETRY_MS = 20_000
export const LONGEST_PAUSE_MS = 6 * 3_600_000

/** Something at Stripe that one generation of a row asks for. The generation is part of the idempotency key of its creation. */
export type Asked<Stored> = {
  /** Sends the same at every try of the generation. @returns its id at Stripe */
  create(): Promise<string>
  /** Writes the id; does nothing where another call was faster or a newer generation has begun. */
  store(id: string): Promise<void>
  /** Gives the next try another key; does nothing where that was done already. */
  raiseGeneration(): Promise<void>
  /** @returns what is stored now; null while it has no id */
  read(): Promise<Stored | null>
}

/**
 * Creates what a row asks for, once, however often and in however many processes it is tried (ADR 0013). The row is
 * written before, so a worker tries again after a crash or a lost answer; its key leads every try to the one object. A key
 * that is used up is followed by that of the next generation, at the next try.
 * @returns what is stored then, which may be what another call has created
 * @throws what Stripe throws; payment_provider_error where the row asks for another one meanwhile
 */
export async function makeOnce<Stored>(asked: Asked<Stored>): Promise<Stored> {
  try {
    await asked.store(await asked.create())
  } catch (error) {
    if (isKeySpent(error)) await asked.raiseGeneration()
    throw error
  }
  const stored = await asked.read()
  if (stored === null) throw refusal('payment_provider_error')
  return stored
}
