/** One of the best traders by average gain, as visitors see them (rule G-108). */
export type BoardTrader = {
  /** Null where their public page is off: then nothing that visitors get names them. */
  username: string | null
  /** Percent, exact decimal text. */
  averageGain: string
  closed: number
  /** Of them, those with a gain; null for fewer than five. */
  wins: number | null
  /** As on the leaderboard (`rankedEntry`); null for fewer than two sessions with open positions. */
  sparkline: readonly number[] | null
}

/** Facts of the board on the landing page. */
export type LandingBoard = {
  /** Best first, at most `BOARD_TRADERS_COUNT`. */
  traders: readonly BoardTrader[]
  /** Positions that everybody ranked has closed at a market price. */
  closed: number
  /** How many traders are ranked. */
  ranked: number
  /** Seconds within which half of the mails of the last seven days were taken, decimal text; null without a mail. */
  halfSeconds: string | null
}

/** Comments around the part of the document of / in whose place the server puts the board. */
export const BOARD_PLACE = { begin: '<!--board-->', end: '<!--/board-->' } as const

/** The element in the document of / that holds the board, or the sample. */
export const BOARD_ELEMENT_ID = 'right-now'
