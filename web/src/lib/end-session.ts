import type { Session } from '@supabase/auth-js'
import { THEME_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { authClient, forgetSession, readStoredSession } from './auth-client.ts'
import { discardDrafts } from './drafts.ts'
import { queryClient } from './query-client.ts'
import { isReachable } from './use-online.ts'

let leaving = false

/**
 * Whether this page itself gave the session up; then the way leads to / and not, as for a visitor who finds a guarded
 * page locked, to /login.
 */
export function isLeaving(): boolean {
  return leaving
}

/** To be called on arrival at /. */
export function hasLeft(): void {
  leaving = false
}

/**
 * Ends the session in this browser: after any 401 or 403 of the product API (docs/specification.md section 8). Storage goes
 * first, except a chosen theme, which belongs to the device. A refusal that comes after its person has gone ends nothing: the next one may
 * be signed in.
 * @param refused what the refused call was sent with; null for a call without one
 */
export function endSession(refused: Session | null): void {
  if (refused !== null && readStoredSession()?.user.id !== refused.user.id) return
  leaving = true
  const theme = localStorage.getItem(THEME_STORAGE_KEY)
  localStorage.clear()
  if (theme !== null) localStorage.setItem(THEME_STORAGE_KEY, theme)
  forgetSession()
  queryClient.clear()
}

/**
 * Ends every session of the person, in this browser and everywhere else: the scope that docs/specification.md section 4 has as
 * the default. A 401, 403 or 404 counts as done.
 * @returns false when the server could not do it; then this browser stays signed in as well
 */
export async function signOutEverywhere(): Promise<boolean> {
  leaving = true
  const { error } = await authClient.signOut({ scope: 'global' })
  if (error) leaving = false
  else forgetPerson()
  return error === null
}

/**
 * The action of the Logout link: signs out everywhere; where the server cannot be asked, at least here.
 * @returns false when other devices could not be reached
 */
export async function logOut(): Promise<boolean> {
  if ((await isReachable()) && (await signOutEverywhere())) return true
  leaving = true
  forgetSession()
  forgetPerson()
  return false
}

function forgetPerson(): void {
  queryClient.clear()
  discardDrafts()
}
