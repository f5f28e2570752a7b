import { randomBytes } from 'node:crypto'
import type { Prepare } from '../../mail/outbox/prepare-mails.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type SecretKey, secretKeyName } from '../keys/secret-key.ts'
import { findLiveRequests, type LiveRequest, storeAccountCodes } from './account-codes.queries.ts'
import { boundTo } from './account-codes.ts'
import { CODE_LIFE_MS, codeHmac, drawCode } from './one-time-code.ts'

type CodeDeps = { db: Queryable; secret: SecretKey }
/** Of SHA-256; a random one in its place is the HMAC of no code. */
const HMAC_BYTES = 32

/** A live request and the mailbox of its code. @property isReal false for one that no code shall fit, in as much time as another */
export type Wanted = { request: LiveRequest; address: string; isReal: boolean }

/**
 * Draws codes of requests and stores their HMACs: a code exists in its mail alone, and a retry draws a new one (rule G-04).
 * @returns by the request's id; those are missing that have been replaced, used or have grown old
 */
export async function drawAccountCodes(
  { db, secret }: CodeDeps,
  wanted: Wanted[],
  now: Date,
): Promise<Map<string, string>> {
  const drawn = wanted.map(({ request, address, isReal }) => {
    const code = drawCode()
    const hmac = isReal ? codeHmac(secret, boundTo(request, address), code) : randomBytes(HMAC_BYTES)
    return { requestId: request.request_id, code, codeHmac: hmac }
  })
  const stored = await storeAccountCodes(
    db,
    drawn,
    { secretKeyId: secretKeyName(secret), expiresAt: new Date(now.getTime() + CODE_LIFE_MS) },
    now,
  )
  return new Map(
    drawn.filter(({ requestId }) => stored.has(requestId)).map((one) => [one.requestId, one.code]),
  )
}

/** Draws the codes of mails. A mail is unneeded when its request has been replaced, used or has grown old. */
export function prepareAccountCodes(deps: CodeDeps): Prepare<'account_code'> {
  return async (mails, now) => {
    const ids = mails.map(({ facts }) => facts.requestId)
    const live = new Map((await findLiveRequests(deps.db, ids, now)).map((row) => [row.request_id, row]))
    const wanted = mails.flatMap(({ facts, address }): Wanted[] => {
      const request = live.get(facts.requestId)
      return request && address !== null ? [{ request, address, isReal: true }] : []
    })
    const codes = await drawAccountCodes(deps, wanted, now)
    return ids.map((id) => {
      const purpose = live.get(id)?.purpose
      const code = codes.get(id)
      if (code === undefined || (purpose !== 'reauthentication' && purpose !== 'factor_undo')) return null
      return { drawn: { code, purpose } }
    })
  }
}
