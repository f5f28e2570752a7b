import type { Prepare } from '../../mail/outbox/prepare-mails.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { undoUrl } from '../factors/undo-token.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { drawAccountCodes } from '../sign-in/prepare-account-codes.ts'
import { findLiveChangeCodes } from './email-changes.queries.ts'
import { findEmailUndos } from './email-undos.queries.ts'

type CodeDeps = { db: Queryable; secret: SecretKey }
type UndoDeps = CodeDeps & { origin: string }

/** Draws the codes of the mailboxes that people have. */
export function prepareOldAddressCodes(deps: CodeDeps): Prepare<'old_address_code'> {
  return async (mails, now) => {
    const { codes, live } = await draw(deps, mails, now)
    return mails.map(({ facts }) => {
      const code = codes.get(facts.requestId)
      const newEmail = live.get(facts.requestId)?.new_email
      return code === undefined || newEmail === undefined ? null : { drawn: { code, newEmail } }
    })
  }
}

/**
 * Draws the codes of the mailboxes that people want. Where the address is somebody's, a code that nothing matches is stored, and that
 * person is told; where it is kept for somebody, nobody is.
 */
export function prepareNewAddressCodes(deps: CodeDeps): Prepare<'new_address_code'> {
  return async (mails, now) => {
    const { codes, live } = await draw(deps, mails, now)
    return mails.map(({ facts }) => {
      const request = live.get(facts.requestId)
      const code = codes.get(facts.requestId)
      if (!request || code === undefined || (!request.is_free && !request.is_taken)) return null
      return { drawn: { code: request.is_free ? code : null }, address: request.new_email }
    })
  }
}

async function draw(deps: CodeDeps, mails: { facts: { requestId: string } }[], now: Date) {
  const ids = mails.map(({ facts }) => facts.requestId)
  const found = await findLiveChangeCodes(deps.db, ids, now)
  const wanted = found.map((request) => {
    const isNew = request.purpose === 'new_email'
    const address = isNew ? request.new_email : request.old_email
    return { request, address, isReal: !isNew || request.is_free }
  })
  const codes = await drawAccountCodes(deps, wanted, now)
  return { codes, live: new Map(found.map((request) => [request.request_id, request])) }
}

/** Makes the link by which a change of address is taken back, and addresses its mail to the mailbox from before. */
export function prepareAddressChanged(deps: UndoDeps): Prepare<'address_changed'> {
  return async (mails, now) => {
    const undos = await undosOf(deps, mails)
    return mails.map(({ facts: { undoId } }) => {
      const undo = undos.get(undoId)
      // A link that does nothing any more is not sent.
      if (!undo || undo.expires_at <= now || undo.used_at || undo.overtaken_at) return null
      const drawn = { undoUrl: undoUrl(deps, 'email-undos', undoId), newEmail: undo.new_email }
      return { drawn, address: undo.old_email }
    })
  }
}

/** Addresses the mail about a change that was taken back to one of its two mailboxes. */
export function prepareAddressRestored(deps: { db: Queryable }): Prepare<'address_restored'> {
  return async (mails) => {
    const undos = await undosOf(deps, mails)
    return mails.map(({ facts: { to, undoId } }) => {
      const undo = undos.get(undoId)
      if (!undo) return null
      const { new_email: newEmail, old_email: oldEmail } = undo
      return { drawn: { newEmail, oldEmail }, address: to === 'old' ? oldEmail : newEmail }
    })
  }
}

async function undosOf(deps: { db: Queryable }, mails: { facts: { undoId: string } }[]) {
  const found = await findEmailUndos(
    deps.db,
    mails.map(({ facts }) => facts.undoId),
  )
  return new Map(found.map((undo) => [undo.id, undo]))
}
