import { THEME_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { authClient } from './auth-client.ts'
import { discardDrafts } from './drafts.ts'
import { queryClient } from './query-client.ts'

let leaving = false
let ending: Promise<void> | null = null

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
 * first, except a chosen theme, which belongs to the device; then a local sign-out, which has nothing left to revoke
 * and so makes no call, tells the page (decision G-12). Several refusals at a time end it once.
 */
export function endSession(): Promise<void> {
  ending ??= forgetEverything().finally(() => {
    ending = null
  })
  return ending
}

async function forgetEverything(): Promise<void> {
  leaving = true
  const theme = localStorage.getItem(THEME_STORAGE_KEY)
  localStorage.clear()
  if (theme !== null) localStorage.setItem(THEME_STORAGE_KEY, theme)
  await authClient.signOut({ scope: 'local' })
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
 * What the Logout link does: signs out everywhere; where the server cannot be asked, at least here.
 * @returns false when other devices could not be reached
 */
export async function logOut(): Promise<boolean> {
  if (await signOutEverywhere()) return true
  leaving = true
  await authClient.signOut({ scope: 'local' })
  forgetPerson()
  return false
}

function forgetPerson(): void {
  queryClient.clear()
  discardDrafts()
}
