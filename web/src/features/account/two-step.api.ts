import type { AuthError, Factor } from '@supabase/auth-js'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { refusalMessage } from '@tradepost/contract/errors'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { useEffect } from 'react'
import { authClient } from '../../lib/auth-client.ts'
import { type CodeRefusal, confirmWithCode, refusalOf } from '../../lib/authenticator.ts'

/** The person's second factors, begun and confirmed ones; the sign-in server sends them with the user. */
const factorsQuery = queryOptions({
  queryKey: ['factors'],
  async queryFn() {
    const { data, error } = await authClient.mfa.listFactors()
    if (error) throw error
    return data.all
  },
  retry: false,
})

/** The factors, kept current with the events of this tab, of another one and of a refresh (docs/specification.md section 4). */
export function useFactors() {
  const client = useQueryClient()
  useEffect(() => {
    const { data } = authClient.onAuthStateChange((event, session) => {
      // These two bring the user as the server knows them now; the others repeat the stored copy.
      if (session === null || (event !== 'MFA_CHALLENGE_VERIFIED' && event !== 'TOKEN_REFRESHED')) return
      client.setQueryData(factorsQuery.queryKey, session.user.factors ?? [])
    })
    return () => data.subscription.unsubscribe()
  }, [client])
  return useQuery(factorsQuery)
}

/** The secret for an authenticator app; sent once, at enrolment. */
export type Enrolment = { factorId: string; qrCodeUrl: string; secret: string }

/** A call was refused; the sentence to show. */
export type Refused = { kind: 'refused'; sentence: string }

/**
 * Begins an enrolment. One that was begun before and given up (a reload in the middle, another tab) goes first: its
 * secret cannot be sent again, and the server refuses a second one of the same name.
 */
export async function enrol(): Promise<{ kind: 'enrolled'; enrolment: Enrolment } | Refused> {
  const { data, error } = await authClient.mfa.listFactors()
  if (error) return refused(error)
  for (const factor of data.all.filter(isGivenUp)) await authClient.mfa.unenroll({ factorId: factor.id })
  const enrolled = await authClient.mfa.enroll({ factorType: 'totp' })
  if (enrolled.error) return refused(enrolled.error)
  const { id, totp } = enrolled.data
  return { kind: 'enrolled', enrolment: { factorId: id, qrCodeUrl: totp.qr_code, secret: totp.secret } }
}

/** Whether a factor is an enrolment of this page that was never confirmed; those of other clients carry a name. */
export function isGivenUp(factor: Factor): boolean {
  return factor.factor_type === 'totp' && factor.status === 'unverified' && !factor.friendly_name
}

/** Takes an enrolment back. Where that fails, the next one does it. */
export async function giveUp(factorId: string): Promise<void> {
  await authClient.mfa.unenroll({ factorId })
}

/** Confirms an enrolment, or the session, with a code of the app. */
export async function confirmFactor(
  factorId: string,
  code: string,
): Promise<{ kind: 'confirmed' } | { kind: 'mail_due' } | Refused> {
  const outcome = await confirmWithCode(factorId, code)
  if (outcome === 'confirmed' || outcome === 'mail_due') return { kind: outcome }
  return { kind: 'refused', sentence: SENTENCES[outcome] }
}

/**
 * Removes a confirmed factor, which takes a session that was confirmed with one: `code_needed` when this one is not; and one
 * in which the mailbox was proved a moment ago: else `mail_due`. The session is renewed at once, so that every tab knows the person as they are now.
 */
export async function removeFactor(
  factorId: string,
): Promise<{ kind: 'removed' } | { kind: 'code_needed' } | { kind: 'mail_due' } | Refused> {
  const { error } = await authClient.mfa.unenroll({ factorId })
  if (error?.code === 'insufficient_aal') return { kind: 'code_needed' }
  if (error?.code === 'reauthentication_needed') return { kind: 'mail_due' }
  // Removed in another tab or browser is removed.
  if (error && error.code !== 'mfa_factor_not_found') return refused(error)
  await authClient.refreshSession()
  return { kind: 'removed' }
}

async function refused(error: AuthError): Promise<Refused> {
  const refusal = await refusalOf(error)
  return { kind: 'refused', sentence: SENTENCES[refusal === 'mail_due' ? 'failed' : refusal] }
}

const SENTENCES: Record<Exclude<CodeRefusal, 'mail_due'>, string> = {
  wrong: 'That code is not right. Type the one that your app shows now.',
  limited: refusalMessage('rate_limited'),
  gone: 'This set-up is no longer there. Cancel and start again.',
  ended: refusalMessage('unauthorized'),
  failed: FALLBACK_MESSAGE,
}
