import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'

const HOUR_SECONDS = 3600

/** Stores a session as the sign-in client does; for tests. */
export function storeSession(
  options: {
    secondsLeft?: number
    accessToken?: string
    refreshToken?: string
    userId?: string
    factors?: { id: string; status: 'verified' | 'unverified' }[]
  } = {},
): void {
  const secondsLeft = options.secondsLeft ?? HOUR_SECONDS
  const session = {
    access_token: options.accessToken ?? 'header.payload.signature',
    refresh_token: options.refreshToken ?? 'refresh',
    token_type: 'bearer',
    expires_in: secondsLeft,
    expires_at: Math.floor(Date.now() / 1000) + secondsLeft,
    user: { id: options.userId ?? 'u1', email: 'maria@example.com', factors: options.factors ?? [] },
  }
  localStorage.setItem(AUTH_STORAGE_KEY, JSON.stringify(session))
}

/** An answer of the API. */
export function jsonAnswer(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

/** Waits until what is on its way within the page went through its streams and promises, whatever the clocks of the test do. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
  }
}
