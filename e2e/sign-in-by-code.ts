import { AuthClient, type Session } from '@supabase/auth-js'
import type { Product } from './product.ts'

/** A mail in the form of the sandbox's mailbox. */
export type Mail = {
  id: string
  to: string
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

const ARRIVAL_TIMEOUT_MS = 30_000
const POLL_MS = 25

/** Mails to an address, newest first. */
export async function mailsTo(product: Product, to: string): Promise<Mail[]> {
  const answer = await fetch(`${product.sandboxUrl}/mail/messages?to=${encodeURIComponent(to)}`)
  return (await answer.json()) as Mail[]
}

/** The six digits of a sign-in mail. */
export function codeIn(mail: Mail): string {
  return /\b\d{6}\b/.exec(mail.text)?.[0] ?? ''
}

/** Signs a person in as they would themselves: asks for the mail, reads the code, sends it back. */
export async function signInByCode(product: Product, email: string): Promise<Session> {
  const client = new AuthClient({
    url: `${product.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
  })
  // Mails about positions may come in between.
  const codes = async () => (await mailsTo(product, email)).map(codeIn).filter((code) => code !== '')
  const before = (await codes()).length
  const sent = await client.signInWithOtp({ email })
  if (sent.error) throw sent.error
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS
  let newest = await codes()
  while (newest.length === before && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    newest = await codes()
  }
  const [token] = newest
  if (token === undefined || newest.length === before) throw new Error('the sign-in mail did not arrive')
  const { data, error } = await client.verifyOtp({ email, token, type: 'email' })
  if (error || !data.session) throw error ?? new Error('no session')
  return data.session
}
