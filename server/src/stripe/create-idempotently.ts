import { isKeySpent } from './stripe-errors.ts'

const KEYS = 3

/**
 * Makes something at Stripe that must never be there twice. An idempotency key alone does not promise that: Stripe
 * forgets it after a day, and keeps its own failure under it until then. So it is looked for first, every time, and
 * a key that is used up is followed by another one.
 * @param act.find what an earlier run made, or null
 * @param act.make is given the key
 */
export async function createIdempotently<T>(
  key: string,
  act: { find(): Promise<T | null>; make(idempotencyKey: string): Promise<T> },
): Promise<T> {
  for (let spare = 0; ; spare += 1) {
    const found = await act.find()
    if (found !== null) return found
    try {
      return await act.make(spare === 0 ? key : `${key}:${spare}`)
    } catch (error) {
      if (!isKeySpent(error) || spare === KEYS - 1) throw error
    }
  }
}
