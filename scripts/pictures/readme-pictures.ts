/** A picture of the README: a shot or a mail of `scripts/screenshots.ts`, in one look, as tall as its window. */
export type ReadmePicture = {
  file: string
  of: string
  width: 390 | 1280
  theme: 'dark' | 'light'
  /** The text at the top of the picture; the page's beginning unless given. */
  from?: string
}

export const readmePictures: readonly ReadmePicture[] = [
  { file: 'positions.png', of: 'positions', width: 1280, theme: 'dark' },
  { file: 'close-position.png', of: 'close-position', width: 1280, theme: 'dark' },
  { file: 'leaderboard.png', of: 'leaderboard-proven', width: 1280, theme: 'light' },
  { file: 'trade-phone.png', of: 'trade', width: 390, theme: 'dark' },
  { file: 'profile.png', of: 'trader-self', width: 1280, theme: 'light' },
  { file: 'closed-position.png', of: 'trader-closed-dialog', width: 1280, theme: 'dark' },
  { file: 'position-phone.png', of: 'position-dialog', width: 390, theme: 'dark' },
  { file: 'mail-closed.png', of: 'mail-position-closed-gain', width: 390, theme: 'dark' },
  { file: 'api-docs.png', of: 'docs-call', width: 1280, theme: 'light', from: '/v1/positions/open' },
  { file: 'paid-phone.png', of: 'payment-confirmed', width: 390, theme: 'light' },
  { file: 'leaderboard-average.png', of: 'leaderboard-own', width: 1280, theme: 'dark' },
  { file: 'desk.png', of: 'account', width: 1280, theme: 'dark', from: 'Subscribers:' },
  { file: 'mail-started.png', of: 'mail-subscription-started', width: 390, theme: 'light' },
]
