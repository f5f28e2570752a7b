import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { sha256 } from '../../platform/ids.ts'
import { consumePreview, findPreviewState, type RedeemedPreview } from './quotes.queries.ts'

/**
 * Uses a preview key up, in the transaction that uses its price: when that rolls back, the key is as good as before.
 * @param preview.key as handed out
 * @param preview.symbol normalised; the key must have been given for it
 * @returns the price as decimal text
 * @throws `preview_invalid` (unknown, another's, another symbol's), `preview_used`, `preview_expired`
 */
export async function redeemPreview(
  tx: Queryable,
  preview: { traderId: string; key: string; symbol: string },
  now: Date,
): Promise<RedeemedPreview> {
  const key = { traderId: preview.traderId, keySha256: sha256(preview.key), symbol: preview.symbol }
  const redeemed = await consumePreview(tx, key, now)
  if (redeemed) return redeemed
  const state = await findPreviewState(tx, key)
  if (!state) throw refusal('preview_invalid')
  throw refusal(state.consumed ? 'preview_used' : 'preview_expired')
}
