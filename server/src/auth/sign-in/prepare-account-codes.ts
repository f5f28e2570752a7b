import type { Prepare } from '../../mail/outbox/prepare-mails.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type SecretKey, secretKeyName } from '../keys/secret-key.ts'
import { findLiveRequests, storeAccountCodes } from './account-codes.queries.ts'
import { boundTo } from './check-account-code.ts'
import { CODE_LIFE_MS, codeHmac, drawCode } from './one-time-code.ts'

/**
 * Draws the codes of requests and stores their HMACs: a code exists in its mail alone, and a retry draws a new one
 * (rule G-04). A mail is unneeded when its request has been replaced, used or has grown old.
 */
export function prepareAccountCodes(deps: { db: Queryable; secret: SecretKey }): Prepare<'account_code'> {
  const { db, secret } = deps
  return async (mails, now) => {
    const ids = mails.map(({ facts }) => facts.requestId)
    const live = new Map((await findLiveRequests(db, ids, now)).map((row) => [row.request_id, row]))
    const drawn = mails.flatMap(({ facts, address }) => {
      const request = live.get(facts.requestId)
      if (!request || address === null) return []
      const code = drawCode()
      return [{ request, code, hmac: codeHmac(secret, boundTo(request, address), code) }]
    })
    const stored = await storeAccountCodes(
      db,
      drawn.map(({ request, hmac }) => ({ requestId: request.request_id, codeHmac: hmac })),
      { secretKeyId: secretKeyName(secret), expiresAt: new Date(now.getTime() + CODE_LIFE_MS) },
      now,
    )
    const codes = new Map(drawn.map((one) => [one.request.request_id, one]))
    return ids.map((id) => {
      const one = codes.get(id)
      if (!one || !stored.has(id)) return null
      return { drawn: { code: one.code, purpose: one.request.purpose } }
    })
  }
}
