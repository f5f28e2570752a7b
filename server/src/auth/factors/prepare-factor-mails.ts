import type { Prepare } from '../../mail/outbox/prepare-mails.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { undoUrl } from './undo-token.ts'

/** Makes the link by which a change of a second factor is undone (ADR 0031). */
export function prepareFactorMails(deps: {
  origin: string
  secret: SecretKey
}): Prepare<'second_factor_changed'> {
  return async (mails) =>
    mails.map(({ facts: { undoId } }) => ({
      drawn: { undoUrl: undoId === null ? null : undoUrl(deps, 'factor-undos', undoId) },
    }))
}
