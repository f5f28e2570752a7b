/** The position that examples of several calls are about. */
export const OPEN_NOTES = 'Earnings beat with rising margins, and the guidance looks careful.'
export const CLOSE_NOTES = 'Target reached before earnings.'

export const position = {
  id: '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21',
  active: true,
  stock: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openNotes: OPEN_NOTES,
  openPrice: 187.52,
  openedAt: '2026-11-18T15:04:12.318Z',
  user: 'maria',
  companyName: 'Apple Inc',
  publicAt: '2026-12-10T15:04:12.318Z',
} as const

/** The same once it is closed. */
export const closed = {
  ...position,
  active: false,
  closePrice: 201.1,
  closedAt: '2026-11-27T18:40:05.120Z',
  closeNotes: CLOSE_NOTES,
  percentageGain: 7.24,
} as const
