/** Where a tab keeps the code step that it is at (sent-code.ts). Apart from it, since every page forgets, and /login alone reads. */
export const SENT_CODE_KEY = 'tradepost-sent-code'

export function forgetSentCode(): void {
  try {
    sessionStorage.removeItem(SENT_CODE_KEY)
  } catch {
    // Nothing was kept.
  }
}
