/** Reasons of the demo world: for an opening by ticker and for any ticker, for a close by whether it gained. */

/** By ticker, what somebody who buys it could write. */
const OF_TICKER: Readonly<Record<string, readonly string[]>> = {
  AAPL: [
    'Services grow twice as fast as the phone and earn twice the margin. The street still counts phones.',
    'Buyback of about 3 % a year, and the quarter starts after a weak one. I expect a beat on low hopes.',
  ],
  MSFT: [
    'Cloud growth has stopped slowing. Capital spending peaks this year, and cash flow follows.',
    'Back at the 200-day line for the first time in a year. I buy quality where it hurts.',
  ],
  NVDA: [
    'Suppliers in Taiwan reported record months again. That shows up here a quarter later.',
    'Shakeout of 15 % on a rumour about one customer. Order books say otherwise.',
  ],
  AMZN: [
    'Retail margins rise with every parcel that comes from a regional warehouse. Nobody models that.',
    'The cloud business has new capacity live since last month, and it was sold out before.',
  ],
  GOOGL: [
    'Search holds up better than feared, and the multiple is the lowest of the large ones.',
    'The court’s remedy is milder than priced. The overhang of two years goes away.',
  ],
  META: [
    'Ad prices climb again in Europe. Costs are guided too high, as every autumn.',
    'Gap after earnings is half closed, and volume dries up on the way down. A place to start.',
  ],
  TSLA: [
    'Deliveries in China look better by the weekly registrations. Short interest is high.',
    'Swing only: bounced three times from the same level this year. Stop right below it.',
  ],
  AMD: [
    'Server share grows every quarter, and the new chip ships earlier than planned.',
    'Everybody looks at the big rival. The second source gets the orders that are left.',
  ],
  NFLX: [
    'The tier with ads has doubled its hours. Prices went up and nobody left.',
    'Live sports pull in advertisers this season. The numbers come in three weeks.',
  ],
  JPM: [
    'Deposits are sticky and the curve steepens. Best run of the large banks, at a fair price.',
    'Trading desks had a good quarter everywhere. The largest one reports first.',
  ],
  V: [
    'Travel spending abroad is back over trend, and cross-border fees earn the most.',
    'Sold off on a headline about fees that has come up each year since I trade.',
  ],
  COST: [
    'Membership renewals at a record, and the fee rise lands in the next two quarters.',
    'Traffic data for the month is strong. Expensive as always, and it was right to pay.',
  ],
  KO: [
    'Defensive while the market is nervous. Volumes are flat, prices are not.',
    'Weak dollar helps a company that sells everywhere. A quiet position.',
  ],
  DIS: [
    'Parks are booked out into spring, and streaming earns money for the first time.',
    'Two films in the next two months, both with good tracking. The stock runs before such dates.',
  ],
  NKE: [
    'Inventories are clean again after six quarters. Margins turn before sales do.',
    'Order book for spring is up. New management has stopped the discounts.',
  ],
  INTC: [
    'The foundry has its first large customer. Priced as if it had none.',
    'State money and a new process on time: enough for a move from this level.',
  ],
  BA: [
    'Deliveries go over 40 a month. Cash flow turns with every plane that leaves.',
    'The strike is settled. Orders were never the problem.',
  ],
  XOM: [
    'Crude holds above its cost by far, and refining margins widen into winter.',
    'Pays me 3.5 % to wait for the cut of supply that the whole group hints at.',
  ],
  PFE: [
    'Cost cuts of billions are through, and two trials read out this quarter.',
    'Yield over 5 % covered by cash. It only has to stop falling.',
  ],
  UBER: [
    'Advertising in the app grows 60 % a year and hardly costs anything.',
    'Regulation in two large states went its way last week. Still down for the month.',
  ],
}

/** For an opening of any share. */
const OF_ANY = [
  'Earnings beat with rising margins, and the guidance still looks careful to me.',
  'Broke out of a three-month base on twice the usual volume. Stop just under the base.',
  'Oversold after a downgrade that changes nothing about the next two years.',
  'Insiders bought last week, three of them. I follow with a small position.',
  'Money moves out of last year’s winners, and this is where it should arrive first.',
  'Cheap against its own ten years by cash flow; the buyback pays me for waiting.',
  'Momentum is back above the 50-day line. Short hold, tight stop.',
  'Held up on every red day of the last two weeks. That is what I look for.',
  'Estimates went up three times this month and the price did not move.',
  'Filled the gap from spring and turned on it. Risk is small from here.',
  'Analyst day is next week. Expectations are on the floor.',
  'Relative strength at a high for the year while the sector is flat.',
  'Third test of the same support, each with less volume. I take the fourth.',
  'Too many people are short here for a company that earns money.',
] as const

const OF_WIN = [
  'Target reached. Taking the profit and waiting for a new base.',
  'The thesis played out faster than planned; the rest is hope.',
  'Volume dries up at the old high. I would rather be early than sorry.',
  'The gap is filled. That was the whole trade.',
  'Up into the numbers, so I sell before them. No need to gamble with a gain.',
  'Trailing stop hit after a good run. It did its job.',
  'The street has caught up with the estimate. Nothing left that I know better.',
  'Stretched far above its 20-day line. I sell strength.',
  'Half of what I hoped for in a third of the time. Good enough.',
  'A better idea needs the money.',
  'Earnings were as good as expected, and the price barely moved. The buyers are in.',
  'The short squeeze is over, volume says so. Out with a smile.',
  'First red week after five green ones. I keep what is left of the gain.',
  'The planned hold is over and the trade is green. Rules are rules.',
  'Everybody on my screen recommends it now. Time to leave.',
  'Resistance of last summer. It may break, without me.',
  'Analysts raised their targets to where we are. That was the catalyst.',
  'The sector got its rotation. I ring the register.',
] as const

const OF_LOSS = [
  'Closed below my stop. Small loss, no discussion.',
  'Guidance was weaker than I expected, so the reason for this trade is gone.',
  'Wrong about the timing. I can come back when the chart agrees.',
  'The breakout failed and fell back into its range. Out.',
  'The planned hold is over and nothing happened. Money works elsewhere.',
  'A rival cut prices. That was not in my numbers.',
  'Lower high, lower low. I do not argue with that.',
  'The news is out and the price fell on it. I misread what was priced in.',
  'Support gave way on high volume. Better a small cut than a large one.',
  'Bought too early. The base needs more weeks.',
  'The whole group is sold, and mine is no exception. Stepping aside.',
  'My thesis needs lower rates, and they do not come. Closed.',
  'Margins shrank for the second quarter. I was wrong about the costs.',
  'No buyers at the level where I expected them. Out before the weekend.',
] as const

/** The event that a note is for: an opening of a ticker, or a close. */
export type NoteOf = { kind: 'open'; symbol: string } | { kind: 'close'; gained: boolean }

/** @returns the notes that fit */
function notesFor(of: NoteOf): readonly string[] {
  if (of.kind === 'open') return [...(OF_TICKER[of.symbol] ?? []), ...OF_ANY]
  return of.gained ? OF_WIN : OF_LOSS
}

/**
 * Gives each position its reasons, in the order of time: of those that fit, the one that the trader has not written for the longest, and
 * of these the one that nobody has. So a screen hardly shows one twice.
 */
export function makeNoteDeck(): (trader: number, of: NoteOf) => string {
  const lastOfTrader = new Map<string, number>()
  const lastOfAnybody = new Map<string, number>()
  let turn = 0
  return (trader, of) => {
    turn += 1
    const [note] = notesFor(of).toSorted(
      (one, other) =>
        (lastOfTrader.get(`${trader} ${one}`) ?? 0) - (lastOfTrader.get(`${trader} ${other}`) ?? 0) ||
        (lastOfAnybody.get(one) ?? 0) - (lastOfAnybody.get(other) ?? 0),
    )
    if (note === undefined) throw new Error('There is no note for it.')
    lastOfTrader.set(`${trader} ${note}`, turn)
    lastOfAnybody.set(note, turn)
    return note
  }
}
