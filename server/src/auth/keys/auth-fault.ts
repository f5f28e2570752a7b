/**
 * Why something about signing in is refused, in our own terms. `gotrue/wire-error.ts` answers each to clients, with a status. A fault that
 * asks for a wait holds its seconds.
 */
export type AuthFaultCode =
  | 'account_suspended'
  | 'address_returned'
  | 'challenge_over'
  | 'challenge_unknown'
  | 'code_wrong'
  | 'exchange_code_expired'
  | 'exchange_code_unknown'
  | 'factor_code_wrong'
  | 'factor_name_taken'
  | 'factor_unknown'
  | 'link_wrong'
  | 'metadata_too_large'
  | 'reauthentication_code_wrong'
  | 'reauthentication_needed'
  | 'refresh_of_suspended'
  | 'refresh_token_unknown'
  | 'refresh_token_used'
  | 'refreshes_too_often'
  | 'second_factor_missing'
  | 'second_factor_missing_for_removal'
  | 'second_factor_missing_for_user'
  | 'session_expired'
  | 'session_gone'
  | 'too_many_factors'
  | 'too_many_mails'
  | 'too_many_tries'
  | 'verifier_wrong'

export class AuthFault extends Error {
  readonly code: AuthFaultCode
  /** Until it may be asked for again; null where waiting changes nothing. */
  readonly waitSeconds: number | null

  constructor(code: AuthFaultCode, waitSeconds: number | null = null) {
    super(code)
    this.code = code
    this.waitSeconds = waitSeconds
  }
}
